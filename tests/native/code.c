// SPDX-License-Identifier: GPL-2.0
/* Functions that the harness writes, as Go's compiler writes them, and their detours. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native.h"

#define TEXT 0x10000000ULL
#define TEXT_BYTES (6U << 20)
#define AREA_BYTES 65536U
#define AREA (TEXT + (512ULL << 20))
#define POP_AREA (TEXT + ((uint64_t)GP_DETOUR_POP << 24) + (8ULL << 20))
#define NUMBERS (AREA + AREA_BYTES)
#define NUMBERS_BYTES 131072U
#define NOTES (AREA + (512U << 10))
#define NOTES_BYTES 65536U
#define SLOTS (AREA - (1ULL << 20))
#define LANDING (AREA_BYTES - 4096U)
#define HUGE_PAGE (2U << 20)

/*
 * Branches and epilogues in one cache line and across two, across two pages, and across two pages
 * of 2 MB. All shapes, all uses.
 */
struct function functions[FUNCTIONS_MAX] = {
	{ "count, short", false, false, 0x10, 0x1000, USE_COUNT, USE_NONE },
	{ "count, short, spill", false, true, 0x10, 0x2000 + 63, USE_COUNT, USE_NOTE },
	{ "count, long", true, false, 0x90, 0x3000, USE_COUNT, USE_NOTE },
	{ "count, long, 1 byte in line", true, false, 0x90, 0x4000 + 63, USE_COUNT, USE_NONE },
	{ "count, long, 3 bytes in line", true, false, 0x10, 0x5000 + 61, USE_COUNT, USE_NONE },
	{ "count, long, 5 bytes in line", true, false, 0x10, 0x6000 + 59, USE_COUNT, USE_NONE },
	{ "count, short, two lines", false, false, 0x10, 0x7000 + 50, USE_COUNT, USE_NOTE },
	{ "count, long, page's end", true, false, 0x10, 0xa000 - 6, USE_COUNT, USE_NONE },
	{ "test, short", false, false, 0x10, 0xb000, USE_TEST, USE_NONE },
	{ "test, long, huge page's end", true, true, 0x90, HUGE_PAGE - 6, USE_TEST, USE_NOTE },
	{ "land, short, spill", false, true, 0x90, 0xd000, USE_LAND, USE_NONE },
	{ "land, long", true, false, 0x10, 0xe000 + 62, USE_LAND, USE_NONE },
	{ "time, short", false, false, 0x10, 0x10000, USE_TIME, USE_TIME },
	{ "time, short, spill", false, true, 0x90, 0x11000 + 48, USE_TIME, USE_TIME },
	{ "time, long", true, false, 0x10, 0x12000 + 61, USE_TIME, USE_TIME },
	{ "time, long, huge page's end", true, false, 0x90, 2 * HUGE_PAGE - 6, USE_TIME, USE_TIME },
	{ "note, short", false, false, 0x90, 0x14000, USE_NOTE, USE_NOTE },
	{ "note, short, spill", false, true, 0x10, 0x15000 + 20, USE_NOTE, USE_NOTE },
	{ "note, long", true, false, 0x90, 0x16000 + 50, USE_NOTE, USE_NOTE },
	{ "note, short, call", false, false, 0x10, 0x19000, USE_NOTE, USE_NONE },
	{ "note, long, page's end", true, true, 0x10, 0x18000 - 6, USE_NOTE, USE_NOTE },
};

unsigned int nfunctions;
struct site sites[SITES_MAX];
unsigned int nsites;
long ncpus, nstripes;

/* Stripes of processors that have numbers of their own: a power of two. */
static uint8_t shift;
static uint8_t *text, *area[2];
static uint32_t used[2], nnumbers;
static const uint64_t area_at[2] = { AREA, POP_AREA };
static uint64_t morestack;
static _Atomic uint64_t morestacks;

static void *map(int fd, uint64_t at, size_t n, int prot)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *p = mmap((void *)at, n, prot, flags | (at ? MAP_FIXED_NOREPLACE : 0), fd, 0);

	if (p == MAP_FAILED)
		perror("native: mmap");
	return p == MAP_FAILED ? NULL : p;
}

/* Memory that is executed at @at, and written elsewhere. */
static uint8_t *map_code(uint64_t at, size_t n)
{
	int fd = memfd_create("native", 0);

	if (fd < 0 || ftruncate(fd, (off_t)n) || !map(fd, at, n, PROT_READ | PROT_EXEC))
		return NULL;
	return map(fd, 0, n, PROT_READ | PROT_WRITE);
}

static int map_all(void)
{
	const int rw = PROT_READ | PROT_WRITE;

	text = map_code(TEXT, TEXT_BYTES);
	for (int i = 0; i < 2; i++)
		area[i] = map_code(area_at[i], AREA_BYTES);
	if (!text || !area[0] || !area[1] ||
	    !map(-1, SLOTS, GP_DETOUR_SLOTS * sizeof(struct gp_detour_slot), rw))
		return -1;
	for (long stripe = 0; stripe < nstripes; stripe++)
		if (!map(-1, NUMBERS + ((uint64_t)stripe << shift), NUMBERS_BYTES, rw) ||
		    !map(-1, NOTES + ((uint64_t)stripe << shift), NOTES_BYTES, rw))
			return -1;
	return 0;
}

uint8_t *code_writable(uint64_t at)
{
	return text + (at - TEXT);
}

bool code_has(uint64_t at)
{
	return at - TEXT < TEXT_BYTES;
}

uint64_t *code_counter(uint64_t at, long stripe)
{
	return (uint64_t *)(at + ((uint64_t)stripe << shift));
}

struct gp_detour_ring *code_ring(long stripe)
{
	return (struct gp_detour_ring *)(NOTES + ((uint64_t)stripe << shift));
}

struct gp_detour_times *code_times(const struct site *s, long stripe)
{
	return (struct gp_detour_times *)(s->d.times + ((uint64_t)stripe << shift));
}

struct gp_detour_slot *code_slots(void)
{
	return (struct gp_detour_slot *)SLOTS;
}

/* The site whose hit is at the landing, if @at is one. */
struct site *code_landed(uint64_t at, uint64_t r12)
{
	if ((at != AREA + LANDING && at != POP_AREA + LANDING) || r12 / 2 >= nsites)
		return NULL;
	return &sites[r12 / 2];
}

/* --- machine code ---------------------------------------------------------------------- */

static uint8_t *to;

#define PUT(...) put((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put(const uint8_t *code, size_t n)
{
	memcpy(to, code, n);
	to += n;
}

static uint64_t here(void)
{
	return TEXT + (uint64_t)(to - text);
}

static void put_rel32(uint64_t target)
{
	int32_t d = (int32_t)(target - (here() + 4));

	put((const uint8_t *)&d, 4);
}

/* Here the stack has grown: the function begins again. */
static void put_morestack(void)
{
	uint64_t count = (uint64_t)&morestacks;

	to = text + 0x800;
	morestack = here();
	PUT(0x49, 0xc7, 0x46, offsetof(struct g, guard), 0, 0, 0, 0);	/* movq $0,guard(%r14) */
	PUT(0x48, 0xb8);						/* movabs $count,%rax */
	put((const uint8_t *)&count, 8);
	PUT(0xf0, 0x48, 0xff, 0x00);					/* lock incq (%rax) */
	PUT(0xc3);
}

static void put_add_rsp(uint32_t frame)
{
	if (frame > 127) {
		PUT(0x48, 0x81, 0xc4);
		put((const uint8_t *)&frame, 4);
	} else {
		PUT(0x48, 0x83, 0xc4, (uint8_t)frame);
	}
}

static void put_sub_rsp(uint32_t frame)
{
	PUT(0x48, 0x81, 0xec);
	put((const uint8_t *)&frame, 4);
}

/* Write a function; *@cold and *@epilogue: where these are. */
static void put_function(struct function *f, uint64_t *cold, uint64_t *epilogue)
{
	uint64_t branch = TEXT + f->place, start = branch - 4;

	to = text + f->place - 4;
	f->start = start;
	PUT(0x49, 0x3b, 0x66, offsetof(struct g, guard));	/* cmp guard(%r14),%rsp */
	to += f->is_long ? 6 : 2;
	PUT(0x55, 0x48, 0x89, 0xe5);				/* push %rbp; mov %rsp,%rbp */
	put_sub_rsp(f->frame);
	PUT(0x48, 0xff, 0x07);					/* incq (%rdi) */
	*epilogue = here();
	put_add_rsp(f->frame);
	PUT(0x5d, 0xc3);
	*cold = here();
	if (f->spills)
		PUT(0x48, 0x89, 0x44, 0x24, 0x08);		/* mov %rax,8(%rsp) */
	PUT(0xe8);
	put_rel32(morestack);
	if (f->spills)
		PUT(0x48, 0x8b, 0x44, 0x24, 0x08);
	PUT(0xe9);
	put_rel32(start);
	to = text + f->place;
	if (f->is_long) {
		PUT(0x0f, 0x86);
		put_rel32(*cold);
	} else {
		PUT(0x76, (uint8_t)(*cold - (branch + 2)));
	}
}

/* --- detours ---------------------------------------------------------------------------- */

static uint64_t numbers(uint32_t bytes)
{
	uint32_t at = (nnumbers + bytes - 1) / bytes * bytes;

	nnumbers = at + bytes;
	return NUMBERS + at;
}

static void begin_times(const struct site *s)
{
	for (long stripe = 0; stripe < nstripes; stripe++)
		*code_times(s, stripe) = (struct gp_detour_times){ .min = UINT64_MAX };
}

/* What calls do that land, time or leave a note. */
static void describe_more(struct site *s, uint64_t landing)
{
	struct gp_detour *d = &s->d;

	d->landing = landing;
	d->id = s->function + 1;
	d->stack_hi = offsetof(struct g, hi);
	d->goid = offsetof(struct g, goid);
	d->m = offsetof(struct g, m);
	d->procid = offsetof(struct m, procid);
	if (s->use == USE_NOTE) {
		/* The number of the site; a timed one has that of the function. */
		d->id = d->number + 1;
		d->ring = NOTES;
		d->nwords = 2;
		d->word[0] = 7;		/* RDI */
		d->word[1] = 6;		/* RSI */
	} else if (s->use == USE_TIME) {
		d->slots = SLOTS;
		/* A tick, or so little that calls take 0 to 3. */
		d->rate = 1ULL << (s->function % 2 ? 57 : 63);
		if (s->s.frame) {
			d->times = numbers(sizeof(struct gp_detour_times));
			begin_times(s);
		}
	}
}

static void describe(struct site *s, int in)
{
	struct gp_detour *d = &s->d;

	d->number = (uint32_t)(s - sites);
	d->cpu_shift = shift;
	d->code = area_at[in] + used[in];
	if (s->use == USE_TEST || s->use == USE_LAND) {
		d->ntests = 1;
		d->test[0] = (struct gp_detour_test){
			.reg = 6, .want = true, .low = TEST_LOW, .span = TEST_SPAN,
		};
		d->rejected = numbers(sizeof(uint64_t));
	}
	if (s->use == USE_COUNT || s->use == USE_TEST)
		d->hits = numbers(sizeof(uint64_t));
	else
		describe_more(s, area_at[in] + LANDING);
}

static int add_site(unsigned int function, enum use use, uint64_t at, uint64_t cold, bool exit)
{
	struct site *s = &sites[nsites];
	uint8_t code[GP_DETOUR_MAX];
	uint32_t len;
	const char *why;
	int in;

	why = exit ? gp_detour_find_exit(code_writable(at), 15, at, &s->s) :
		     gp_detour_find(code_writable(at), 6, code_writable(cold), 16, at, &s->s);
	s->function = function;
	s->use = use;
	s->d.branch = at;
	in = s->s.shape == GP_DETOUR_EXIT_POP;
	if (!why)
		describe(s, in);
	len = why ? 0 : gp_detour_emit(&s->s, &s->d, code);
	if (!why && (!len || !gp_detour_check(&s->s, &s->d, code, len) ||
		     !gp_detour_jumps(&s->s, &s->d, s->branch, s->cold_jump)))
		why = "the emitter, or its checker, refuses it";
	if (why) {
		fprintf(stderr, "native: %s, %s: %s\n", functions[function].name,
			exit ? "end" : "entry", why);
		return -1;
	}
	memcpy(area[in] + used[in], code, len);
	used[in] = (used[in] + len + 15) & ~15U;
	nsites++;
	return 0;
}

static int add_function(unsigned int i)
{
	struct function *f = &functions[i];
	uint64_t cold, epilogue;

	put_function(f, &cold, &epilogue);
	if (f->entry != USE_NONE && add_site(i, f->entry, TEXT + f->place, cold, false))
		return -1;
	return f->exit == USE_NONE ? 0 : add_site(i, f->exit, epilogue, 0, true);
}

static bool processor_suits(void)
{
	uint32_t a, b = 0, c = 0, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & 1U << 22 && b & 1U << 8;
}

int code_make(void)
{
	ncpus = sysconf(_SC_NPROCESSORS_CONF);
	/* The module makes 32 at most: area.c. */
	shift = GP_DETOUR_CPU_SHIFT_MAX;
	for (nstripes = 2; nstripes < ncpus && nstripes < 32; nstripes *= 2)
		shift--;
	if (!processor_suits()) {
		fprintf(stderr, "native: this processor lacks RDPID or BMI2\n");
		_exit(5);
	}
	if (map_all())
		return -1;
	put_morestack();
	while (functions[nfunctions].name)
		if (add_function(nfunctions++))
			return -1;
	for (int i = 0; i < 2; i++) {
		gp_detour_emit_landing(area[i] + LANDING);
		area[i][LANDING] = 0xcc;
	}
	/* The kernel's breakpoints stay all the time. */
	for (unsigned int i = 0; i < nsites; i++)
		*code_writable(sites[i].d.branch) = 0xcc;
	return 0;
}
