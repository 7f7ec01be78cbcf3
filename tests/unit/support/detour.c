// SPDX-License-Identifier: GPL-2.0
/* A function with a detour, which this processor executes. */
#include "rows.h"
#include "detour.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

size_t detour_parse(const char *text, uint8_t *to)
{
	size_t n = 0;

	for (const char *p = text; *p; p += strspn(p, " "))
		to[n++] = (uint8_t)strtoul(p, (char **)&p, 16);
	return n;
}

/*
 * A function's beginning in memory of its own: a branch, what follows it, a cold block, morestack.
 * What is executed ends at one of three places, where all registers are stored.
 */
uint64_t detour_regs[16], detour_flags, detour_entry, detour_path, detour_top;
uint64_t detour_stack[20];	/* what is on the stack */

asm(".text\n"
	".globl detour_next\n"
	"detour_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub $256, %rsp\n"
	"	lea detour_stack(%rip), %rsi\n"
	"	mov %rsp, %rdi\n"
	"	mov $20, %ecx\n"
	"	cld\n"
	"	rep movsq\n"
	"	mov %rsp, detour_regs+32(%rip)\n"
	"	push detour_flags(%rip); popfq\n"
	"	movsd detour_regs(%rip), %xmm0\n"
	"	mov detour_regs(%rip), %rax\n"
	"	mov detour_regs+8(%rip), %rcx\n"
	"	mov detour_regs+16(%rip), %rdx\n"
	"	mov detour_regs+24(%rip), %rbx\n"
	"	mov detour_regs+40(%rip), %rbp\n"
	"	mov detour_regs+48(%rip), %rsi\n"
	"	mov detour_regs+56(%rip), %rdi\n"
	"	mov detour_regs+64(%rip), %r8\n"
	"	mov detour_regs+72(%rip), %r9\n"
	"	mov detour_regs+80(%rip), %r10\n"
	"	mov detour_regs+88(%rip), %r11\n"
	"	mov detour_regs+96(%rip), %r12\n"
	"	mov detour_regs+104(%rip), %r13\n"
	"	mov detour_regs+112(%rip), %r14\n"
	"	mov detour_regs+120(%rip), %r15\n"
	"	jmp *detour_entry(%rip)\n"
	"detour_next:\n"
	"	movq $1, detour_path(%rip)\n"
	"	jmp 0f\n"
	"detour_cold:\n"
	"	movq $2, detour_path(%rip)\n"
	"	jmp 0f\n"
	"detour_morestack:\n"
	"	movq $3, detour_path(%rip)\n"
	"0:	mov %rax, detour_regs(%rip)\n"
	"	mov %rcx, detour_regs+8(%rip)\n"
	"	mov %rdx, detour_regs+16(%rip)\n"
	"	mov %rbx, detour_regs+24(%rip)\n"
	"	mov %rbp, detour_regs+40(%rip)\n"
	"	mov %rsi, detour_regs+48(%rip)\n"
	"	mov %rdi, detour_regs+56(%rip)\n"
	"	mov %r8, detour_regs+64(%rip)\n"
	"	mov %r9, detour_regs+72(%rip)\n"
	"	mov %r10, detour_regs+80(%rip)\n"
	"	mov %r11, detour_regs+88(%rip)\n"
	"	mov %r14, detour_regs+112(%rip)\n"
	"	mov %r15, detour_regs+120(%rip)\n"
	"	mov detour_regs+32(%rip), %rax\n"
	"	sub %rsp, %rax\n"
	"	mov %rax, detour_regs+96(%rip)\n"		/* bytes pushed */
	"	mov (%rsp), %rax\n"
	"	mov %rax, detour_regs+104(%rip)\n"		/* the last of them */
	"	mov detour_regs+32(%rip), %rsp\n"
	"	mov 8(%rsp), %rax\n"
	"	mov %rax, detour_top(%rip)\n"			/* where cold blocks store */
	"	add $256, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

uint8_t *detour_memory;
bool detour_has_rdpid, detour_has_bmi2;

/* Where CPU 0 has its numbers; CPU n has them n strides higher. */
uint8_t *detour_numbers(void)
{
	return detour_memory + 2 * DETOUR_PAGE;
}

static uint64_t seed = 1;

uint64_t detour_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void jump_out(uint8_t *at, void (*to)(void))
{
	static const uint8_t jmp[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(at, jmp, sizeof(jmp));
	memcpy(at + sizeof(jmp), &to, sizeof(to));
}

const struct detour_shape detour_shapes[DETOUR_SHAPES] = {
	{ "a long branch", "0f 86 3a 00 00 00", "48 89 44 24 08" },
	{ "a call in the cold block", "76 3e", "e8 bb 00 00 00" },
	{ "a store in the cold block", "76 3e", "48 89 44 24 08 90 90 90 90" },
	{ "a store of a float", "76 3e", "f2 0f 11 44 24 08 90 90 90" },
};

/* Write the function; what can become of its branch. */
struct gp_detour_site detour_function(const struct detour_shape *shape)
{
	uint8_t branch[16], cold[16];
	size_t n = detour_parse(shape->branch, branch), ncold = detour_parse(shape->cold, cold);
	struct gp_detour_site site;

	memset(detour_memory, 0xcc, DETOUR_PAGE);
	memcpy(detour_memory + DETOUR_BRANCH, branch, n);
	jump_out(detour_memory + DETOUR_BRANCH + n, detour_next);
	memcpy(detour_memory + DETOUR_COLD, cold, ncold);
	jump_out(detour_memory + DETOUR_COLD + ncold, detour_cold);
	jump_out(detour_memory + DETOUR_MORESTACK, detour_morestack);
	assert_null(gp_detour_find(detour_memory + DETOUR_BRANCH, 16, detour_memory + DETOUR_COLD,
				   16, (uint64_t)(detour_memory + DETOUR_BRANCH), &site));
	assert_int_equal(site.cold_at, DETOUR_COLD - DETOUR_BRANCH);
	return site;
}

/* Numbers that comparisons distinguish: near the ends of ranges, or anything. */
uint64_t detour_number(void)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000, 0xffffffffffffffff,
	};
	uint64_t r = detour_random();

	if (r % 4 == 0)
		return detour_random();
	return edges[r / 4 % N(edges)] + r / 64 % 3 - 1;
}

/* Registers of a call of the function, all of them random. */
void detour_registers(void)
{
	static const uint64_t flags[] = {
		0x202, 0x202, 0x202, 0x202 | DETOUR_CF, 0x202 | DETOUR_ZF,
		0x202 | DETOUR_CF | DETOUR_ZF,
	};

	for (size_t i = 0; i < N(detour_regs); i++)
		detour_regs[i] = detour_number();
	detour_flags = flags[detour_random() % N(flags)];
	detour_entry = (uint64_t)(detour_memory + DETOUR_BRANCH);
}

/* Write the detour, checked, and have the function jump there. */
void detour_patch(const struct gp_detour_site *site, const struct gp_detour *d)
{
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t len = gp_detour_emit(site, d, code);

	assert_in_range(len, 1, GP_DETOUR_MAX);
	assert_true(gp_detour_check(site, d, code, len));
	memcpy((uint8_t *)d->code, code, len);
	assert_true(gp_detour_jumps(site, d, branch, cold));
	if (site->shape == GP_DETOUR_SHORT) {
		memcpy(detour_memory + DETOUR_COLD, cold, sizeof(cold));
		detour_memory[DETOUR_BRANCH] = branch[0];
		assert_int_equal(branch[1], site->branch[1]);
	} else {
		memcpy(detour_memory + DETOUR_BRANCH, branch, sizeof(branch));
	}
}

struct detour_left detour_execute(const uint64_t regs[16])
{
	struct detour_left l;

	memcpy(detour_regs, regs, sizeof(detour_regs));
	detour_run();
	memcpy(l.regs, detour_regs, sizeof(l.regs));
	l.path = detour_path;
	l.top = detour_top;
	return l;
}

int detour_set_up(void **state)
{
	unsigned int a, b, c, d;

	(void)state;
	detour_has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & (1U << 22);
	detour_has_bmi2 = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & (1U << 8);
	detour_memory = mmap(NULL, 2 * DETOUR_PAGE + DETOUR_CPUS * DETOUR_STRIDE,
			     PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return detour_memory == MAP_FAILED ? -1 : 0;
}
