/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's interface for plugins that plugins here use. No package of Debian has the
 * header.
 */
#ifndef BENCH_QEMU_H
#define BENCH_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
typedef uint32_t plugin_meminfo;

enum plugin_registers { NO_REGISTERS, READ_REGISTERS };
enum plugin_access { READS = 1, WRITES = 2 };

/* Arrays of glib, which QEMU is linked with. */
struct plugin_bytes {
	uint8_t *data;
	unsigned int len;
};

struct plugin_register {
	void *handle;
	const char *name;
	const char *feature;
};

struct plugin_register_list {
	struct plugin_register *data;
	unsigned int len;
};

typedef void (*translated_fn)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*executed_fn)(unsigned int cpu, void *data);
typedef void (*accessed_fn)(unsigned int cpu, plugin_meminfo info, uint64_t address, void *data);

void qemu_plugin_reset(plugin_id id, void (*fn)(plugin_id id));
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated_fn fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, executed_fn fn, int registers,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, executed_fn fn,
					    int registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, accessed_fn fn, int registers,
				      int access, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);

bool qemu_plugin_mem_is_store(plugin_meminfo info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(plugin_meminfo info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *at);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *at);

struct plugin_register_list *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(void *handle, struct plugin_bytes *to);
struct plugin_bytes *g_byte_array_new(void);
struct plugin_bytes *g_byte_array_set_size(struct plugin_bytes *bytes, unsigned int len);

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

#endif
