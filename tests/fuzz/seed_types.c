// SPDX-License-Identifier: GPL-2.0
/* Run-time type descriptors of all kinds: src/internal/abi/type.go. */
#include "fuzz.h"

#include "said.h"
#include "seed.h"
#include "synth.h"

enum { T_INT, T_STRING, T_POINTER, T_SLICE, T_ARRAY, T_CHAN, T_FUNC, T_IFACE, T_MAP,
	T_STRUCT, T_EMPTY, T_N };

static const struct {
	uint8_t kind;
	uint8_t tflag;
	uint16_t size;
	const char *name;
} kinds[] = {
	[T_INT] = { 2, 4, 8, "int" },
	[T_STRING] = { 24, 4, 16, "string" },
	[T_POINTER] = { 22, 0, 8, "*main.T" },
	[T_SLICE] = { 23, 0, 24, "[]string" },
	[T_ARRAY] = { 17, 0, 24, "[3]int" },
	[T_CHAN] = { 18, 0, 8, "chan int" },
	[T_FUNC] = { 19, 0, 8, "func(int) string" },
	[T_IFACE] = { 20, 4 | 1, 16, "main.I" },
	[T_MAP] = { 21, 0, 8, "map[string]int" },
	[T_STRUCT] = { 25, 4 | 1, 40, "main.T" },
	[T_EMPTY] = { 20, 2, 16, "*interface {}" },
};

struct image {
	struct synth_bytes b;
	int minor;
	uint32_t at[T_N];	/* of each descriptor */
};

static uint64_t address(const struct image *im, unsigned int t)
{
	return SAID_BASE + im->at[t];
}

/* abi.Name; its offset. */
static uint32_t name(struct image *im, const char *s)
{
	uint32_t at = (uint32_t)im->b.n;

	synth_u8(&im->b, 1);
	if (im->minor <= 16)
		synth_u8(&im->b, 0);
	synth_u8(&im->b, (uint8_t)strlen(s));
	synth_put(&im->b, s, strlen(s));
	return at;
}

static void own(struct image *im, unsigned int t, uint32_t list, uint32_t names)
{
	struct synth_bytes *b = &im->b;

	switch (t) {
	case T_POINTER:
		synth_u64(b, address(im, T_STRUCT));
		break;
	case T_SLICE:
		synth_u64(b, address(im, T_STRING));
		break;
	case T_ARRAY:
		synth_u64(b, address(im, T_INT));
		synth_u64(b, address(im, T_SLICE));
		synth_u64(b, 3);
		break;
	case T_CHAN:
		synth_u64(b, address(im, T_INT));
		synth_u64(b, 3);
		break;
	case T_FUNC:
		synth_u32(b, 1 | 1 << 16);
		synth_u32(b, 0);
		synth_u64(b, address(im, T_INT));
		synth_u64(b, address(im, T_STRING));
		break;
	case T_IFACE:
	case T_EMPTY:
		synth_u64(b, t == T_IFACE ? SAID_BASE + names : 0);
		synth_u64(b, SAID_BASE + list + 3 * 24);
		synth_u64(b, t == T_IFACE);
		synth_u64(b, t == T_IFACE);
		break;
	case T_STRUCT:
		synth_u64(b, SAID_BASE + names);
		synth_u64(b, SAID_BASE + list);
		synth_u64(b, 3);
		synth_u64(b, 3);
		break;
	case T_MAP:
		synth_u64(b, address(im, T_STRING));
		synth_u64(b, address(im, T_INT));
		synth_u64(b, 0);
		if (im->minor <= 23) {
			synth_u64(b, 0);
			synth_u32(b, 16 | 8 << 8 | 208 << 16);
			synth_u32(b, 0);
		} else if (im->minor <= 26) {
			synth_u64(b, 0);
			synth_u64(b, 200);
			synth_u64(b, 24);
			synth_u64(b, 16);
			synth_u64(b, 0);
		} else {
			synth_u64(b, 0);
			synth_u64(b, 200);
			synth_u64(b, 8);
			synth_u64(b, 24);
			synth_u64(b, 24);
			synth_u64(b, 24);
			synth_u64(b, 0);
			synth_u64(b, 0);
		}
		break;
	}
	if (kinds[t].tflag & 1) {
		/* abi.UncommonType: package, one method, behind it. */
		synth_u32(b, names);
		synth_u32(b, 1 | 1 << 16);
		synth_u32(b, 16);
		synth_u32(b, 0);
		synth_u32(b, names);
		synth_u32(b, im->at[T_FUNC]);
		synth_u32(b, 0x10);
		synth_u32(b, 0x20);
	}
}

static void descriptor(struct image *im, unsigned int t, uint32_t str, uint32_t list,
		       uint32_t names)
{
	struct synth_bytes *b = &im->b;

	synth_u64(b, kinds[t].size);
	synth_u64(b, kinds[t].size);
	synth_u32(b, 0x12345678 + t);
	synth_u8(b, kinds[t].tflag);
	synth_u8(b, 8);
	synth_u8(b, 8);
	synth_u8(b, kinds[t].kind);
	synth_u64(b, 0);
	synth_u64(b, 0);
	synth_u32(b, str);
	synth_u32(b, t == T_STRUCT ? im->at[T_POINTER] : 0);
	own(im, t, list, names);
}

/* All of it: names, lists, links, descriptors. Twice: first to see where things go. */
static void fill(struct image *im, struct said *said)
{
	uint32_t str[T_N], names, list;

	im->b.n = 0;
	synth_zero(&im->b, 8);
	for (unsigned int t = 0; t < T_N; t++)
		str[t] = name(im, kinds[t].name);
	names = name(im, "main");
	synth_align(&im->b, 8);
	list = (uint32_t)im->b.n;
	for (unsigned int i = 0; i < 3; i++) {
		static const uint8_t types[] = { T_INT, T_SLICE, T_POINTER };
		static const uint8_t offsets[] = { 0, 8, 32 };

		synth_u64(&im->b, SAID_BASE + names);
		synth_u64(&im->b, address(im, types[i]));
		synth_u64(&im->b, (uint64_t)offsets[i] << (im->minor <= 18));
	}
	synth_u32(&im->b, names);		/* what main.I asks for */
	synth_u32(&im->b, im->at[T_FUNC]);
	said->typelinks = (uint32_t)im->b.n;
	said->ntypelinks = T_N;
	for (unsigned int t = 0; t < T_N; t++)
		synth_u32(&im->b, im->at[t]);
	synth_align(&im->b, 8);
	said->itabs = (uint32_t)im->b.n;
	said->itabs_len = 32;
	synth_u64(&im->b, address(im, T_IFACE));
	synth_u64(&im->b, address(im, T_POINTER));
	synth_u64(&im->b, 0x1234);
	synth_u64(&im->b, 0x400010);
	said->itablinks = (uint32_t)im->b.n;
	said->nitablinks = 1;
	synth_u64(&im->b, SAID_BASE + said->itabs);
	for (unsigned int t = 0; t < T_N; t++) {
		synth_align(&im->b, 8);
		im->at[t] = (uint32_t)im->b.n;
		descriptor(im, t, str[t], list, names);
	}
	said->pick = im->at[T_STRUCT];
	said->desc_len = (uint32_t)im->b.n;
}

void seed_types(void)
{
	static const uint8_t minors[] = { 13, 15, 17, 19, 23, 24, 26, 27 };

	for (unsigned int i = 0; i < sizeof(minors); i++) {
		struct image im = { .minor = minors[i] };
		struct said said = { .minor = (uint16_t)(minors[i] - 13) };
		struct synth_bytes seed = { .p = NULL };

		fill(&im, &said);
		fill(&im, &said);
		synth_put(&seed, &said, sizeof(said));
		synth_put(&seed, im.b.p, im.b.n);
		seed_save("rtypes", i, seed.p, seed.n);
		synth_fini(&seed);
		synth_fini(&im.b);
	}
}
