// SPDX-License-Identifier: GPL-2.0
/*
 * sharing - a plugin of QEMU that finds the cache lines that several processors write
 *
 * For bench/sharing. A round begins when the last of THREADS threads of bench/crowd has called
 * main.begin, and ends with the first call of main.end. In between, each access to memory counts:
 * for its physical line of 64 bytes, its processor and its instruction. OUT.0, OUT.1... are the
 * rounds:
 *
 *	cpu NUMBER CALLS		a processor's calls of main.work
 *	line ADDRESS			a line that several processors have written; virtual
 *	cpu NUMBER CALLS		... in how many of its calls a processor has written it
 *	code ADDRESS LOCKED LOADS STORES
 *					... an instruction, and how often it has read and written it
 *
 * Options: work=, begin=, end= (addresses, hexadecimal), threads=, out=.
 *
 * Until the first call of main.begin nothing else is instrumented, so booting is fast. Processors
 * take turns (QEMU's thread=single), so nothing here needs a lock. Accesses that a processor makes
 * without an instruction (page tables, frames of exceptions) are not seen. An access that crosses
 * a line counts for the first line only.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

/* Registers can be read since version 3 of the interface. */
int qemu_plugin_version = 4;

#define CPUS		16
#define TABLE_BITS	16
#define LINE_BITS	6

struct code {
	uint64_t address;
	bool locked;
	struct code *next;
};

/* Accesses of one instruction to one line. */
struct use {
	const struct code *code;
	uint64_t loads, stores;
	struct use *next;
};

/* @writes: a processor's calls that have written it; @last: number of the last of these, from 1 */
struct line {
	uint64_t number, address;
	uint64_t writes[CPUS], last[CPUS];
	struct use *uses;
	struct line *next;
};

static struct code *codes[1 << TABLE_BITS];
static struct line *lines[1 << TABLE_BITS];
static uint64_t work, begin, end, calls[CPUS];
static unsigned int threads, waiting, rounds;
static const char *out;
static plugin_id self;
static bool instrumented, counting;

/* The processor that runs; each has a per-CPU base of its own. */
static unsigned int cpu_now;
static uint64_t cpu_base[CPUS];
static void *gs_base, *kernel_gs_base;
static struct plugin_bytes *register_bytes;

static void *zalloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

static size_t slot(uint64_t x)
{
	return x * 0x9e3779b97f4a7c15ULL >> (64 - TABLE_BITS);
}

static struct code *code_at(uint64_t address, bool locked)
{
	struct code **head = &codes[slot(address)];
	struct code *c = *head;

	while (c && (c->address != address || c->locked != locked))
		c = c->next;
	if (c)
		return c;
	c = zalloc(sizeof(*c));
	c->address = address;
	c->locked = locked;
	c->next = *head;
	*head = c;
	return c;
}

static struct line *line_of(uint64_t number)
{
	struct line **head = &lines[slot(number)];
	struct line *l = *head;

	while (l && l->number != number)
		l = l->next;
	if (l)
		return l;
	l = zalloc(sizeof(*l));
	l->number = number;
	l->next = *head;
	*head = l;
	return l;
}

/* The use that was asked for last is the first of its list: most accesses repeat. */
static struct use *use_of(struct line *l, const struct code *c)
{
	struct use **at = &l->uses, *u;

	while (*at && (*at)->code != c)
		at = &(*at)->next;
	u = *at;
	if (u) {
		*at = u->next;
	} else {
		u = zalloc(sizeof(*u));
		u->code = c;
	}
	u->next = l->uses;
	l->uses = u;
	return u;
}

static void free_line(struct line *l)
{
	struct use *u;

	while ((u = l->uses)) {
		l->uses = u->next;
		free(u);
	}
	free(l);
}

static unsigned int writers(const struct line *l)
{
	unsigned int n = 0;

	for (int i = 0; i < CPUS; i++)
		n += l->writes[i] != 0;
	return n;
}

static void save_cpus(FILE *f, const uint64_t *n)
{
	for (int i = 0; i < CPUS; i++)
		if (n[i])
			fprintf(f, "cpu %d %" PRIu64 "\n", i, n[i]);
}

static void save_line(FILE *f, const struct line *l)
{
	fprintf(f, "line %" PRIx64 "\n", l->address);
	save_cpus(f, l->writes);
	for (const struct use *u = l->uses; u; u = u->next)
		fprintf(f, "code %" PRIx64 " %d %" PRIu64 " %" PRIu64 "\n", u->code->address,
			u->code->locked, u->loads, u->stores);
}

static void save_round(void)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s.%u", out, rounds++);
	f = fopen(name, "w");
	if (!f) {
		perror(name);
		return;
	}
	save_cpus(f, calls);
	for (size_t i = 0; i < 1 << TABLE_BITS; i++)
		for (const struct line *l = lines[i]; l; l = l->next)
			if (writers(l) > 1)
				save_line(f, l);
	if (fclose(f))
		perror(name);
}

static void forget_round(void)
{
	for (size_t i = 0; i < 1 << TABLE_BITS; i++) {
		struct line *l;

		while ((l = lines[i])) {
			lines[i] = l->next;
			free_line(l);
		}
	}
	memset(calls, 0, sizeof(calls));
}

static uint64_t register_value(void *handle)
{
	uint64_t x = 0;

	g_byte_array_set_size(register_bytes, 0);
	if (qemu_plugin_read_register(handle, register_bytes) != sizeof(x))
		abort();
	memcpy(&x, register_bytes->data, sizeof(x));
	return x;
}

static void find_registers(void)
{
	const struct plugin_register_list *list = qemu_plugin_get_registers();

	for (unsigned int i = 0; i < list->len; i++) {
		if (!strcmp(list->data[i].name, "gs_base"))
			gs_base = list->data[i].handle;
		if (!strcmp(list->data[i].name, "k_gs_base"))
			kernel_gs_base = list->data[i].handle;
	}
	if (!gs_base || !kernel_gs_base)
		abort();
	register_bytes = g_byte_array_new();
}

/*
 * Find out which processor runs. If processors take turns, the number that QEMU 10 passes is that
 * of the processor for which the code was translated. The kernel's per-CPU base is in one of two
 * registers: the kernel's addresses are the upper half.
 */
static void block_entered(unsigned int cpu, void *data)
{
	uint64_t base;

	(void)cpu;
	(void)data;
	if (!counting)
		return;
	base = register_value(gs_base);
	if (!(base >> 63))
		base = register_value(kernel_gs_base);
	if (cpu_base[cpu_now] == base)
		return;
	for (cpu_now = 0; cpu_base[cpu_now] && cpu_base[cpu_now] != base; cpu_now++)
		if (cpu_now == CPUS - 1)
			abort();
	cpu_base[cpu_now] = base;
}

static void count_store(struct line *l)
{
	if (l->last[cpu_now] == calls[cpu_now] + 1)
		return;
	l->last[cpu_now] = calls[cpu_now] + 1;
	l->writes[cpu_now]++;
}

static void memory_accessed(unsigned int cpu, plugin_meminfo info, uint64_t address, void *data)
{
	const struct qemu_plugin_hwaddr *at;
	struct line *l;
	struct use *u;

	(void)cpu;
	if (!counting)
		return;
	at = qemu_plugin_get_hwaddr(info, address);
	if (!at || qemu_plugin_hwaddr_is_io(at))
		return;
	l = line_of(qemu_plugin_hwaddr_phys_addr(at) >> LINE_BITS);
	/* Of a page that is mapped twice, the kernel's address. */
	if (!l->address || address >> 63)
		l->address = address;
	u = use_of(l, data);
	if (qemu_plugin_mem_is_store(info)) {
		u->stores++;
		count_store(l);
	} else {
		u->loads++;
	}
}

static void work_called(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	calls[cpu_now] += counting;
}

static void end_called(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!counting)
		return;
	counting = false;
	save_round();
	forget_round();
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb);

static void instrument(plugin_id id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

/* The first call only has all code instrumented. */
static void begin_called(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!instrumented) {
		instrumented = true;
		find_registers();
		qemu_plugin_reset(self, instrument);
	} else if (++waiting == threads) {
		waiting = 0;
		counting = true;
	}
}

/* Does the instruction have a LOCK prefix, or is it XCHG, which has no need of one? */
static bool is_locked(const struct qemu_plugin_insn *insn)
{
	static const uint8_t prefixes[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0xf2, 0xf3 };
	uint8_t code[16] = { 0 };
	size_t len = qemu_plugin_insn_data(insn, code, sizeof(code)), i = 0;

	while (i < len && (memchr(prefixes, code[i], sizeof(prefixes)) || code[i] >> 4 == 4))
		i++;
	return i < len && (code[i] == 0xf0 || code[i] == 0x86 || code[i] == 0x87);
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	if (instrumented)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_entered, READ_REGISTERS, NULL);
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		executed_fn fn = address == begin ? begin_called :
				 address == end ? end_called :
				 address == work ? work_called : NULL;

		if (fn)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, fn, NO_REGISTERS, NULL);
		if (instrumented)
			qemu_plugin_register_vcpu_mem_cb(insn, memory_accessed, NO_REGISTERS,
							 READS | WRITES,
							 code_at(address, is_locked(insn)));
	}
}

static void read_option(const char *text)
{
	const struct {
		const char *name;
		uint64_t *address;
	} addresses[] = { { "work=", &work }, { "begin=", &begin }, { "end=", &end } };
	const char *value = strchr(text, '=');

	if (!value++)
		return;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++)
		if (!strncmp(text, addresses[i].name, value - text))
			*addresses[i].address = strtoull(value, NULL, 16);
	if (!strncmp(text, "threads=", value - text))
		threads = strtoul(value, NULL, 10);
	else if (!strncmp(text, "out=", value - text))
		out = strdup(value);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	self = id;
	for (int i = 0; i < argc; i++)
		read_option(argv[i]);
	if (!work || !begin || !end || !threads || !out)
		return -1;
	instrument(id);
	return 0;
}
