/* SPDX-License-Identifier: GPL-2.0 */
/* The part of QEMU's interface for plugins that where.c uses; its header need not be installed. */
#ifndef BENCH_WHERE_H
#define BENCH_WHERE_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*count_fn)(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
					   void (*fn)(plugin_id id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, count_fn fn,
					    int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

#endif
