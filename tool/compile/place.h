/* SPDX-License-Identifier: GPL-2.0 */
/* Places of operands: the compiler of names, fields, pointers, indices, registers and labels. */
#ifndef GOPROBE_COMPILE_PLACE_H
#define GOPROBE_COMPILE_PLACE_H

#include "compile/job.h"

/* Where the value of an expression is. 0, or -1 and an error. */
int place_compile(struct job *j, const struct expr *e, struct operand_place *p);
/* Is the capacity of a slice guessed, as debug information lacks it? See compile/scope.c. */
bool place_is_guessed(const struct operand_place *p);

/* --- of one kind, as place_compile() --- */
int name_compile(struct job *j, const struct expr *e, struct operand_place *p);
int name_variable(struct job *j, const struct expr *e, struct operand_place *p);
/* Variable @i of the scope's instruction. */
void name_local(struct job *j, size_t i, struct operand_place *p);
/* The value of a register: compile/register.c. */
int register_compile(struct job *j, const struct expr *e, struct operand_place *p);
int contextvalue_compile(struct job *j, const struct expr *e, struct operand_place *p);
int label_compile(struct job *j, const struct expr *e, struct operand_place *p);
/* Can @e be an index, as far as its form shows? 0, or -1 and an error. */
int index_check(struct job *j, const struct expr *e);
/* Load the index @e into a register of its own. The register, or -1 and an error. */
int index_load(struct job *j, const struct expr *e);
int index_compile(struct job *j, const struct expr *e, struct operand_place *p);
/*
 * Is @name one of the function's parameters, or of the variables that its closure has captured; or
 * with @results one of its results?
 */
bool name_is_param(const struct job *j, const char *name, bool results);
/* x.name, if x is no parameter but a package: 1 if it is a variable; 0, or -1. */
int name_qualified(struct job *j, const struct expr *e, struct operand_place *p);

#endif
