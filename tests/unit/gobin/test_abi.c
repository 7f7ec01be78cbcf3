// SPDX-License-Identifier: GPL-2.0
/* Places of arguments and results in the calling convention. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "gobin/abi.h"
#include "rows.h"

static const struct gotype t_bool = {
	.kind = GOTYPE_BOOL, .name = "bool", .size = 1, .align = 1,
};

static const struct gotype t_u8 = {
	.kind = GOTYPE_UINT, .name = "uint8", .size = 1, .align = 1,
};

static const struct gotype t_int = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

static const struct gotype t_i32 = {
	.kind = GOTYPE_INT, .name = "int32", .size = 4, .align = 4,
};

static const struct gotype t_f64 = {
	.kind = GOTYPE_FLOAT, .name = "float64", .size = 8, .align = 8,
};

static const struct gotype t_f32 = {
	.kind = GOTYPE_FLOAT, .name = "float32", .size = 4, .align = 4,
};

static const struct gotype t_ptr = {
	.kind = GOTYPE_POINTER, .name = "*int", .size = 8, .align = 8,
};

static const struct gotype t_c64 = {
	.kind = GOTYPE_COMPLEX, .name = "complex64", .size = 8, .align = 4,
};

static const struct gotype t_c128 = {
	.kind = GOTYPE_COMPLEX, .name = "complex128", .size = 16, .align = 8,
};

static const struct gotype t_string = {
	.kind = GOTYPE_STRING, .name = "string", .size = 16, .align = 8,
};

static const struct gotype t_slice = {
	.kind = GOTYPE_SLICE, .name = "[]int", .size = 24, .align = 8,
	.elem = &t_int,
};

static const struct gotype t_error = {
	.kind = GOTYPE_INTERFACE, .name = "error", .size = 16, .align = 8,
};

static const struct gotype t_arr0 = {
	.kind = GOTYPE_ARRAY, .name = "[0]int", .align = 8, .elem = &t_int,
};

static const struct gotype t_arr1 = {
	.kind = GOTYPE_ARRAY, .name = "[1]int", .size = 8, .align = 8,
	.elem = &t_int, .count = 1,
};

static const struct gotype t_arr2 = {
	.kind = GOTYPE_ARRAY, .name = "[2]int", .size = 16, .align = 8,
	.elem = &t_int, .count = 2,
};

static const struct gotype t_empty = {
	.kind = GOTYPE_STRUCT, .name = "struct {}", .align = 1,
};

static const struct gotype t_empty2 = {
	.kind = GOTYPE_ARRAY, .name = "[2]struct {}", .align = 1,
	.elem = &t_empty, .count = 2,
};

static const struct gofield mixed_fields[] = {
	{ .name = "a", .type = &t_u8, .offset = 0 },
	{ .name = "b", .type = &t_f64, .offset = 8 },
	{ .name = "e", .type = &t_empty, .offset = 16 },
	{ .name = "c", .type = &t_string, .offset = 16 },
	{ .name = "d", .type = &t_bool, .offset = 32 },
};

static const struct gotype t_mixed = {
	.kind = GOTYPE_STRUCT, .name = "Mixed", .size = 40, .align = 8,
	.fields = mixed_fields, .nfields = 5,
};

/* The first result of the example in abi-internal.md. */
static const struct gofield r1_fields[] = {
	{ .name = "x", .type = &t_int, .offset = 0 },
	{ .name = "y", .type = &t_arr2, .offset = 8 },
};

static const struct gotype t_r1 = {
	.kind = GOTYPE_STRUCT, .name = "r1", .size = 24, .align = 8,
	.fields = r1_fields, .nfields = 2,
};

static const struct gofield hollow_fields[] = {
	{ .name = "x", .type = &t_int, .offset = 0 },
	{ .name = "y", .type = &t_empty2, .offset = 8 },
};

static const struct gotype t_hollow = {
	.kind = GOTYPE_STRUCT, .name = "hollow", .size = 16, .align = 8,
	.fields = hollow_fields, .nfields = 2,
};

static const struct gotype t_huge = {
	.kind = GOTYPE_ARRAY, .name = "[1<<20]uint8", .size = 1 << 20,
	.align = 1, .elem = &t_u8, .count = 1 << 20,
};

#define MAX 16

struct abi_case {
	const char *claim;
	const struct gotype *params[MAX];
	const struct gotype *results[MAX];
	bool abi0;
	int dict;		/* 1 + position, or 0 */
	const char *want;
};

static const struct abi_case cases[] = {
	{
		"nothing has no bytes",
		{ NULL }, { NULL }, false, 0,
		"() () args=0",
	}, {
		"integers go to nine registers, the tenth on the stack",
		{ &t_int, &t_int, &t_int, &t_int, &t_int, &t_int, &t_int,
		  &t_int, &t_int, &t_int },
		{ &t_int }, false, 0,
		"(ax|bx|cx|di|si|r8|r9|r10|r11|sp+8) (ax) args=80",
	}, {
		"floats and integers are counted apart",
		{ &t_f64, &t_int, &t_f32, &t_bool },
		{ &t_f32, &t_int }, false, 0,
		"(x0|ax|x1:4|bx:1) (x0:4|ax) args=24",
	}, {
		"a complex number is two floats",
		{ &t_c128, &t_c64 }, { &t_c128 }, false, 0,
		"(x0,x1@8|x2:4,x3:4@4) (x0,x1@8) args=24",
	}, {
		"strings, slices and interfaces take a register for each word",
		{ &t_string, &t_slice, &t_error }, { &t_string, &t_error },
		false, 0,
		"(ax,bx@8|cx,di@8,si@16|r8,r9@8) (ax,bx@8|cx,di@8) args=56",
	}, {
		"a value that does not fit whole goes on the stack, the next may fit",
		{ &t_slice, &t_slice, &t_string, &t_string, &t_int },
		{ NULL }, false, 0,
		"(ax,bx@8,cx@16|di,si@8,r8@16|r9,r10@8|sp+8|r11) () args=88",
	}, {
		"an array of two goes on the stack, of one does not",
		{ &t_arr1, &t_arr2, &t_arr0, &t_int }, { &t_arr2 }, false, 0,
		"(ax|sp+8|sp+24|bx) (sp+24) args=48",
	}, {
		"a struct is the sequence of its fields",
		{ &t_mixed, &t_i32 }, { &t_mixed }, false, 0,
		"(ax:1,x0@8,bx@16,cx@24,di:1@32|si:4) (ax:1,x0@8,bx@16,cx@24,di:1@32) args=48",
	}, {
		"the example of abi-internal.md",
		{ &t_u8, &t_arr2, &t_u8 }, { &t_r1, &t_string }, false, 0,
		"(ax:1|sp+8|bx:1) (sp+24|ax,bx@8) args=48",
	}, {
		"an array of two things without size keeps a struct on the stack",
		{ &t_hollow, &t_int }, { NULL }, false, 0,
		"(sp+8|ax) () args=24",
	}, {
		"values without size only align the stack",
		{ &t_empty, &t_int, &t_empty }, { &t_empty }, false, 0,
		"(sp+8|ax|sp+8) (sp+8) args=8",
	}, {
		"a dictionary comes first in a generic function",
		{ &t_int, &t_string }, { NULL }, false, 1,
		"(bx|cx,di@8) () args=32",
	}, {
		"a dictionary follows the receiver of a generic method",
		{ &t_ptr, &t_int }, { NULL }, false, 2,
		"(ax|cx) () args=24",
	}, {
		"a dictionary may be all there is",
		{ NULL }, { &t_int }, false, 1,
		"() (ax) args=8",
	}, {
		"small spills are packed as their types say",
		{ &t_bool, &t_i32, &t_u8, &t_f32 }, { NULL }, false, 0,
		"(ax:1|bx:4|cx:1|x0:4) () args=16",
	}, {
		"ABI0 puts everything on the stack, results aligned to words",
		{ &t_bool, &t_i32, &t_string, &t_u8 }, { &t_bool, &t_int },
		true, 0,
		"(sp+8|sp+12|sp+16|sp+32) (sp+40|sp+48) args=48",
	}, {
		"a value that can't be addressed is refused",
		{ &t_huge }, { NULL }, false, 0,
		"refused",
	},
};

static void show_side(char **p, char *end, const struct abi_side *s, size_t n)
{
	static const char *const names[] = {
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9",
		"r10", "r11", "r12", "r13", "r14", "r15", "-", "x0", "x1",
		"x2", "x3", "x4", "x5",
	};

	*p += snprintf(*p, end - *p, "(");
	for (size_t i = 0; i < n; i++) {
		const struct abi_value *v = &s->values[i];

		*p += snprintf(*p, end - *p, "%s", i ? "|" : "");
		if (v->on_stack) {
			*p += snprintf(*p, end - *p, "sp+%u", v->stack);
			continue;
		}
		for (size_t k = 0; k < v->nparts; k++) {
			const struct abi_part *part = &s->parts[v->part + k];

			assert_in_range(part->reg, 0, 22);
			assert_int_equal(part->is_float, part->reg >= 17);
			*p += snprintf(*p, end - *p, "%s%s", k ? "," : "",
				       names[part->reg]);
			if (part->size != 8)
				*p += snprintf(*p, end - *p, ":%u",
					       part->size);
			if (part->at)
				*p += snprintf(*p, end - *p, "@%u", part->at);
		}
	}
	*p += snprintf(*p, end - *p, ")");
}

ROWS(test_places, cases)
{
	const struct abi_case *c = *state;
	struct goparam params[MAX] = { 0 }, results[MAX] = { 0 };
	struct abi_value pv[MAX], rv[MAX];
	struct gosig sig = { .params = params, .results = results };
	struct abi_call call = { .params.values = pv, .results.values = rv };
	char got[512], *p = got, *end = got + sizeof(got);

	while (c->params[sig.nparams]) {
		params[sig.nparams].type = c->params[sig.nparams];
		sig.nparams++;
	}
	while (c->results[sig.nresults]) {
		results[sig.nresults].type = c->results[sig.nresults];
		sig.nresults++;
	}
	sig.dict = c->dict;
	sig.dict_at = c->dict ? (size_t)c->dict - 1 : 0;
	if (abi_assign(&sig, c->abi0, &call)) {
		assert_string_equal("refused", c->want);
		return;
	}
	show_side(&p, end, &call.params, sig.nparams);
	p += snprintf(p, end - p, " ");
	show_side(&p, end, &call.results, sig.nresults);
	snprintf(p, end - p, " args=%u", call.args_bytes);
	assert_string_equal(got, c->want);
}
