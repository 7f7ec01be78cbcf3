// SPDX-License-Identifier: GPL-2.0
/* Program that enumerates, as the rules are, and with each of them left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define FRAME 64U
#define FILTER UINT32_MAX
#define OPS 4

static u64 nseen, naccepted, nruns;
static bool runs;
static const char *bad;

static const char *rules_of(const struct goprobe_op *ops, u32 n, u32 frame)
{
	return frame == FILTER ? rules_of_filter(ops, n) : rules_of_program(ops, n, frame);
}

static bool look_at(const struct goprobe_op *ops, u32 n, u32 frame)
{
	nseen++;
	if (rules_of(ops, n, frame))
		return false;
	naccepted++;
	bad = limits_of_program(ops, n, frame);
	return true;
}

/* --- one operation with all operands -------------------------------------------------------- */

static const u8 as[] = { 0, 1, 15, 16, 255 };
static const u8 bs[] = { 0, 1, 7, 15, 16, 17, 32, 33, 255 };
static const u32 sizes[] = {
	0, 1, 2, 3, 4, 5, 8, 9, 16, FRAME - 1, FRAME, FRAME + 1, GP_BYTES_MAX, GP_BYTES_MAX + 1,
	0x10008, UINT32_MAX,
};

static const u32 offsets[] = {
	0, 1, 2, 3, OPS, FRAME - 8, FRAME - 7, FRAME - 4, FRAME - 1, FRAME, FRAME + 1, 0x10000,
	UINT32_MAX, UINT32_MAX - 7,
};

static const u64 values[] = {
	0, 1, 2, 15, 16, GOPROBE_CHUNK_OK, __GOPROBE_CHUNK_MAX - 1, __GOPROBE_CHUNK_MAX,
	__GOPROBE_TASK_MAX - 1, __GOPROBE_TASK_MAX, GOPROBE_REJECT_MAX, GOPROBE_REJECT_MAX + 1,
	256, 256 + GOPROBE_REJECT_MAX, 257 + GOPROBE_REJECT_MAX, 512, GP_BYTES_MAX,
	GP_BYTES_MAX + 1, GP_QUOTA_MAX, GP_QUOTA_MAX + 1, 1000000000, 1000000001, UINT32_MAX,
	1ULL << 32, (1ULL << 49) - 1, 1ULL << 49, UINT64_MAX,
};

/* An operation that passes must not pass with padding. */
static void look_at_padding(struct goprobe_op *ops, u32 n, u32 frame)
{
	ops[0].pad = 1;
	look_at(ops, n, frame);
	ops[0].pad = 0;
	if (bad)
		return;
	ops[0].pad2 = 1;
	look_at(ops, n, frame);
	ops[0].pad2 = 0;
}

static void enumerate_values(struct goprobe_op *ops, u32 n, u32 frame)
{
	for (size_t v = 0; v < N(values) && !bad; v++) {
		ops[0].value = values[v];
		if (look_at(ops, n, frame) && !bad)
			look_at_padding(ops, n, frame);
	}
}

static void enumerate_operands(struct goprobe_op *ops, u32 n, u32 frame)
{
	for (size_t i = 0; i < N(as) * N(bs) * N(sizes) * N(offsets) && !bad; i++) {
		ops[0].a = as[i % N(as)];
		ops[0].b = bs[i / N(as) % N(bs)];
		ops[0].size = sizes[i / N(as) / N(bs) % N(sizes)];
		ops[0].offset = offsets[i / N(as) / N(bs) / N(sizes)];
		enumerate_values(ops, n, frame);
	}
}

static void enumerate_operations(u32 frame)
{
	for (u32 code = 0; code <= __GOPROBE_OP_MAX + 1 && !bad; code++)
		for (u32 n = 1; n <= OPS && !bad; n++) {
			struct goprobe_op ops[OPS] = { 0 };

			for (u32 i = 1; i < n; i++)
				ops[i].code = GOPROBE_OP_END;
			ops[0].code = (u8)code;
			enumerate_operands(ops, n, frame);
		}
}

/* --- programs ------------------------------------------------------------------------------- */

/* Operations that differ in where they lead, and in what they use up. */
static const struct goprobe_op of_plans[] = {
	{ .code = GOPROBE_OP_IMM, .a = 14, .value = 1 },
	{ .code = GOPROBE_OP_END },
	{ .code = GOPROBE_OP_FAIL, .value = GOPROBE_CHUNK_FAULT },
	{ .code = GOPROBE_OP_LOAD, .a = 14, .b = 15, .size = 8 },
	{ .code = GOPROBE_OP_COPY, .b = 15, .size = FRAME },
	{ .code = GOPROBE_OP_COPY, .b = 15, .size = 1, .offset = FRAME - 1 },
	{ .code = GOPROBE_OP_STORE, .a = 15, .size = 8, .offset = FRAME - 8 },
	{ .code = GOPROBE_OP_FRAME, .a = 14, .size = 8, .offset = FRAME - 8 },
	{ .code = GOPROBE_OP_JUMP }, { .code = GOPROBE_OP_JUMP, .offset = 1 },
	{ .code = GOPROBE_OP_JUMP, .offset = 2 }, { .code = GOPROBE_OP_JUMP, .offset = 3 },
	{ .code = GOPROBE_OP_JUMP, .offset = OPS },
	{ .code = GOPROBE_OP_JEQ_I, .value = 1 }, { .code = GOPROBE_OP_JEQ_I, .offset = 1 },
	{ .code = GOPROBE_OP_JEQ_I, .offset = 2 }, { .code = GOPROBE_OP_JEQ_I, .offset = 3 },
	{ .code = GOPROBE_OP_JEQ_I, .offset = OPS },
	{ .code = GOPROBE_OP_TRY }, { .code = GOPROBE_OP_TRY, .offset = 1 },
	{ .code = GOPROBE_OP_TRY, .offset = 2 }, { .code = GOPROBE_OP_TRY, .offset = 3 },
	{ .code = GOPROBE_OP_TRY, .offset = OPS },
};

static const struct goprobe_op of_filters[] = {
	{ .code = GOPROBE_OP_IMM, .a = 14, .value = 1 },
	{ .code = GOPROBE_OP_END },
	{ .code = GOPROBE_OP_FAIL, .value = GOPROBE_CHUNK_FAULT },
	{ .code = GOPROBE_OP_REJECT },
	{ .code = GOPROBE_OP_LOAD, .a = 14, .b = 15, .size = 8 },
	{ .code = GOPROBE_OP_JUMP }, { .code = GOPROBE_OP_JUMP, .offset = 1 },
	{ .code = GOPROBE_OP_JUMP, .offset = 2 }, { .code = GOPROBE_OP_JUMP, .offset = 3 },
	{ .code = GOPROBE_OP_JEQ_I, .offset = 1 }, { .code = GOPROBE_OP_JEQ_I, .offset = 2 },
	{ .code = GOPROBE_OP_JEQ_I, .offset = 3 },
	{ .code = GOPROBE_OP_QUOTA, .a = 14, .value = 1 },
	{ .code = GOPROBE_OP_QUOTA, .a = 14, .value = 1, .offset = 1000 },
	{ .code = GOPROBE_OP_UNDER, .a = 14 }, { .code = GOPROBE_OP_ROOT, .a = 14 },
	{ .code = GOPROBE_OP_SAME, .size = GP_BYTES_MAX }, { .code = GOPROBE_OP_SAME, .size = 1 },
	{ .code = GOPROBE_OP_MATCH, .size = GP_BYTES_MAX, .offset = 1 },
	{ .code = GOPROBE_OP_DATA },
	{ .code = GOPROBE_OP_KEY_BYTES, .size = GP_BYTES_MAX, .value = GP_BYTES_MAX },
	{ .code = GOPROBE_OP_KEY }, { .code = GOPROBE_OP_VALUE }, { .code = GOPROBE_OP_DURATION },
	{ .code = GOPROBE_OP_SET, .a = 14 }, { .code = GOPROBE_OP_DELAY, .value = 1 },
	{ .code = GOPROBE_OP_WRITE, .b = 15, .size = 8 },
};

static void enumerate_programs(const struct goprobe_op *kinds, u32 nkinds, u32 frame)
{
	struct goprobe_op ops[OPS];
	u64 all = 1;

	for (u32 n = 1; n <= OPS; n++) {
		all *= nkinds;
		for (u64 k = 0; k < all && !bad; k++) {
			u64 rest = k;

			for (u32 i = 0; i < n; i++, rest /= nkinds) {
				ops[i] = kinds[rest % nkinds];
				/* Each has a register of its own, so that all paths are taken. */
				if (ops[i].code == GOPROBE_OP_JEQ_I)
					ops[i].a = (u8)i;
			}
			if (!look_at(ops, n, frame) || bad || !runs || frame == FILTER)
				continue;
			bad = run_program(ops, n, frame);
			nruns++;
		}
	}
}

/* --- plans ---------------------------------------------------------------------------------- */

static void look_at_plan(const struct goprobe_plan *plan, const struct goprobe_piece *pieces,
			 u32 npieces, const struct goprobe_op *ops, u32 nops,
			 const struct gp_types *types)
{
	u32 tries = 0;

	nseen++;
	if (gp_verify_plan(plan, pieces, npieces, ops, nops, types))
		return;
	naccepted++;
	bad = limits_of_plan(plan, npieces, nops, types, 0);
	for (u32 i = 0; i < plan->nops && !bad; i++)
		tries += ops[plan->op + i].code == GOPROBE_OP_TRY;
	if (!bad)
		bad = limits_of_plan(plan, npieces, nops, types, tries);
	for (u32 i = 0; i < plan->npieces && !bad; i++)
		bad = limits_of_piece(&pieces[plan->piece + i], types->type.size);
}

static void enumerate_pieces(void)
{
	static const s64 at[] = { INT32_MIN, -4097, -4096, 0, (1 << 20) - 1, 1 << 20, INT32_MAX };
	const struct goprobe_plan plan = { .npieces = 1 };
	const struct gp_types types = { 1, { FRAME } };
	struct goprobe_piece p = { 0 };

	for (size_t i = 0; i < 256 * N(bs) * N(sizes) * N(offsets) * N(at) && !bad; i++) {
		p.source = (u8)(i % 256);
		p.reg = bs[i / 256 % N(bs)];
		p.size = sizes[i / 256 / N(bs) % N(sizes)];
		p.frame = offsets[i / 256 / N(bs) / N(sizes) % N(offsets)];
		p.offset = (int32_t)at[i / 256 / N(bs) / N(sizes) / N(offsets)];
		p.pad = 0;
		look_at_plan(&plan, &p, 1, NULL, 0, &types);
		p.pad = 1;
		if (!bad)
			look_at_plan(&plan, &p, 1, NULL, 0, &types);
	}
}

/* Each two fields at their limits, in frames of all sizes that matter. */
static void enumerate_plans(void)
{
	static const u32 frames[] = {
		0, 1, 7, 8, 16, FRAME, GP_FRAME_MAX, GP_FRAME_MAX + 1, 65535,
	};
	static const u32 numbers[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 48, 56, 64, 255, 256, 511, 512, 1024,
		GP_RECORD_MAX / sizeof(struct goprobe_chunk),
		GP_RECORD_MAX / sizeof(struct goprobe_chunk) + 1,
		GP_RECORD_MAX - GP_FRAME_MAX, GP_RECORD_MAX - 300, GP_RECORD_MAX - 64,
		GP_RECORD_MAX, GP_RECORD_MAX + 1, UINT32_MAX - 1, UINT32_MAX,
	};
	static const struct goprobe_piece pieces[4] = {
		{ 1, 0, 0, 1, 0, 0, 0 }, { 1, 0, 0, 1, 0, 0, 0 }, { 1, 0, 0, 1, 0, 0, 0 },
		{ 1, 0, 0, 1, 0, 0, 0 },
	};
	struct goprobe_op ops[6];

	for (int i = 0; i < 6; i++)
		ops[i] = (struct goprobe_op){ .code = i % 2 ? GOPROBE_OP_TRY : GOPROBE_OP_END };
	/* Two fields at a time, of twelve. */
	for (size_t i = 0; i < N(frames) * 144 * N(numbers) * N(numbers) && !bad; i++) {
		const struct gp_types types = { 1, { frames[i % N(frames)] } };
		struct goprobe_plan plan = { 0 };
		size_t k = i / N(frames);

		((u32 *)&plan)[k % 12] = numbers[k / 144 % N(numbers)];
		((u32 *)&plan)[k / 12 % 12] = numbers[k / 144 / N(numbers)];
		look_at_plan(&plan, pieces, N(pieces), ops, N(ops), &types);
	}
}

/* Where a filter's operations are in the message. */
static void enumerate_filters(void)
{
	static const u32 numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, UINT32_MAX - 1, UINT32_MAX };
	struct goprobe_op ops[6];

	for (int i = 0; i < 6; i++)
		ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_END };
	for (size_t i = 0; i < N(numbers) * N(numbers) && !bad; i++) {
		const struct goprobe_filter f = {
			.op = numbers[i % N(numbers)], .nops = numbers[i / N(numbers)],
		};

		nseen++;
		if (gp_verify_filter(&f, ops, N(ops)))
			continue;
		naccepted++;
		if (!f.nops || f.nops > GP_OPS_MAX || (u64)f.op + f.nops > N(ops))
			bad = "a filter's operations are none, too many or not in the message";
	}
}

/* --- runs ----------------------------------------------------------------------------------- */

static const char *prove(void)
{
	enumerate_filters();
	if (!bad)
		enumerate_plans();
	if (!bad)
		enumerate_pieces();
	if (!bad)
		enumerate_programs(of_plans, N(of_plans), FRAME);
	if (!bad)
		enumerate_programs(of_filters, N(of_filters), FILTER);
	if (!bad)
		enumerate_operations(FILTER);
	if (!bad)
		enumerate_operations(FRAME);
	return bad;
}

/* Without the rule it may read what it must not, so a process of its own does. */
static bool is_found(const char *rule)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		left_out = (unsigned int)atoi(rule);
		runs = false;
		/* What the address sanitizer says. */
		close(STDERR_FILENO);
		_exit(!!prove());
	}
	return waitpid(pid, &status, 0) == pid && status;
}

/* Arguments: rules, each with its line in front of a colon. */
int main(int argc, char **argv)
{
	unsigned int failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	runs = true;
	prove();
	printf("%sok of %llu programs and plans %llu are accepted, and all these keep the limits%s%s\n",
	       bad ? "not " : "", (unsigned long long)nseen, (unsigned long long)naccepted,
	       bad ? ": " : "", bad ? bad : "");
	printf("%sok on all paths of %llu programs the interpreter keeps them\n",
	       nruns && !bad ? "" : "not ", (unsigned long long)nruns);
	failed += nruns && !bad ? 0 : 2;
	bad = NULL;
	for (int i = 1; i < argc; i++) {
		bool found = is_found(argv[i]);

		printf("%sok without a rule %s: %s\n", found ? "" : "not ",
		       found ? "something is found" : "nothing is found",
		       argv[i] + strcspn(argv[i], ":") + 1);
		failed += !found;
	}
	printf("%u passed, %u failed, 0 skipped\n", 1U + (unsigned int)argc - failed, failed);
	return failed != 0;
}
