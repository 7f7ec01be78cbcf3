// SPDX-License-Identifier: GPL-2.0
/*
 * where - a plugin of QEMU that counts how often each instruction is carried out
 *
 * For bench/run --where. Calls of the probed function begin and end the counting: from the
 * call number "from" to the call number "to", where the counts are written to "out", a line
 * for each address.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

/* Of the interface: QEMU 10 takes 2 to 4. */
int qemu_plugin_version = 4;

#define TABLE_BITS 18

struct place {
	uint64_t address;
	uint64_t times;
	struct place *next;
};

static struct place *table[1 << TABLE_BITS];
static uint64_t work, from, to, calls;
static const char *out;
static bool counting;

static struct place *place_of(uint64_t address)
{
	struct place **head = &table[address * 0x9e3779b97f4a7c15ULL >> (64 - TABLE_BITS)];
	struct place *p = *head;

	while (p && p->address != address)
		p = p->next;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		abort();
	p->address = address;
	p->next = *head;
	*head = p;
	return p;
}

static void save(void)
{
	FILE *f = fopen(out, "w");

	for (size_t i = 0; f && i < sizeof(table) / sizeof(*table); i++)
		for (struct place *p = table[i]; p; p = p->next)
			if (p->times)
				fprintf(f, "%" PRIx64 " %" PRIu64 "\n", p->address, p->times);
	if (!f || fclose(f))
		perror(out);
}

static void called(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	calls++;
	counting = calls >= from && calls < to;
	if (calls == to)
		save();
}

static void count(unsigned int cpu, void *data)
{
	struct place *p = data;

	(void)cpu;
	p->times += counting;
}

static void translated(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (address == work)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, called, 0, NULL);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, count, 0, place_of(address));
	}
}

static void option(const char *text)
{
	const char *value = strchr(text, '=');

	if (!value++)
		return;
	if (!strncmp(text, "work=", 5))
		work = strtoull(value, NULL, 16);
	else if (!strncmp(text, "from=", 5))
		from = strtoull(value, NULL, 10);
	else if (!strncmp(text, "to=", 3))
		to = strtoull(value, NULL, 10);
	else if (!strncmp(text, "out=", 4))
		out = strdup(value);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		option(argv[i]);
	if (!work || !out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
