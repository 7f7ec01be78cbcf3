// SPDX-License-Identifier: GPL-2.0
/*
 * Make the inputs that the fuzzers begin with.
 *
 *	seeds DIR
 *
 * writes DIR/FUZZER/NUMBER.
 */
#include <errno.h>
#include <goprobe.h>
#include <libgoprobe.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "recording/format.h"
#include "seed.h"
#include "synth.h"

static const char *dir;

static void make_dir(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST) {
		perror(path);
		exit(1);
	}
}

void seed_save(const char *fuzzer, unsigned int number, const void *p, size_t n)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, fuzzer);
	make_dir(path);
	snprintf(path, sizeof(path), "%s/%s/%u", dir, fuzzer, number);
	f = fopen(path, "we");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void tables(void)
{
	for (unsigned int f = PCLNTAB_GO12; f <= PCLNTAB_GO120; f++) {
		struct synth_bytes tab = { .p = NULL }, trees = { .p = NULL };
		struct synth_table t = {
			.format = f, .text = 0, .funcs = synth_funcs,
			.nfuncs = synth_nfuncs, .files = synth_files,
		};
		struct synth_bytes seed = { .p = NULL };

		/* Once to see where the trees go: behind the table. */
		synth_table(&t, &tab, &trees);
		t.gofunc = tab.n;
		tab.n = 0;
		trees.n = 0;
		synth_table(&t, &tab, &trees);
		synth_u32(&seed, (uint32_t)tab.n);
		synth_u32(&seed, 0x10);
		synth_put(&seed, tab.p, tab.n);
		synth_put(&seed, trees.p, trees.n);
		seed_save("pclntab", f, seed.p, seed.n);
		synth_fini(&tab);
		synth_fini(&trees);
		synth_fini(&seed);
	}
}

static void programs(void)
{
	static const struct synth_program p[] = {
		{ .minor = 15 }, { .minor = 15, .pie = true, .lld = true },
		{ .minor = 17, .sections = true }, { .minor = 19, .pie = true },
		{ .minor = 25 }, { .minor = 27, .decoy = true },
		{ .minor = 27, .pie = true, .lld = true, .sections = true },
	};

	for (unsigned int i = 0; i < sizeof(p) / sizeof(*p); i++) {
		struct synth_bytes file = { .p = NULL };

		synth_program(&p[i], &file);
		seed_save("elf", i, file.p, file.n);
		synth_fini(&file);
	}
}

static void lines(const char *fuzzer, const char *const *text, size_t n)
{
	for (unsigned int i = 0; i < n; i++)
		seed_save(fuzzer, i, text[i], strlen(text[i]));
}

static void texts(void)
{
	static const char *const specs[] = {
		"main.foo\nmain.foo\n", "shop.(*Cart).Add\nshop.(*Cart).Add",
		"shop.*\nshop.Add\nother", "*.Serve?\nhttp.Server",
		"/^main[a-z]$/\nmaina", "main.Map\nmain.Map[go.shape.int]",
		"main.handle(r.Method, len(r.Header), *r.TLS, s.items[0].id)\nmain.handle",
		"main.f(r.Header[\"Accept\"], m['x'], e.(*os.PathError).Path)(err)",
		"main.handle(w http.ResponseWriter, r *http.Request) (n int, err error)",
		"main.g(f func(a, b int) (string, error), c chan<- []int, m map[string]struct{a, b int})",
		"main.h(x ...interface{}) : (x[1].(int), cap(x), \"net/http\".DefaultClient)(~r0)",
		"a.(*T[int,[2]struct{}]).M(-1, 0x7f, 'a', `b`)",
		"main.f if r.Method == \"POST\" && len(r.Body) > 4096\nmain.f",
		"/f if/ if (a || !b) && -c &^ 1 << 2 <= 1h3m || d == 1.5e-3\nf if",
		"main.f(a int) (b error) : (a)(b) if hasSuffix(a.s, `x`) && under(a/b.(*T).M)",
		"main.f(x)() if strings.HasPrefix(*x.y, \"z\") != (n % 2 == 1)",
		"main.go:42(x, y.z) if x > 3\nmain.go", "a/b.go:7", "main.foo+0x1f(x)\nmain.foo",
		"shop.(*Cart).Add+31($rax)", "*0x4829e0($rax, *(*T)(0xc000012340).f) if $rbx == 5",
		"main.f set a = 5, b.c[2] = -1.5, *p = 'x' if a < b\nmain.f",
		"main.f if a < b set s = s[1:n-1], t = t[:], u = \"x\" delay 50ms",
		"main.f(a int) (err error) on return set err = nil on return delay 1.5ms",
		"main.f(x)(y) delay 10us if panicked && descendant(18) || creator == 7",
		"/f set/ set e.(*T).x = cap(y) + 1 if label(\"k\") == \"v\" && !under(main.f)",
	};
	static const char *const names[] = {
		"man.foo\nmain.foo\nmain.bar\nshop.(*Cart).Add",
		"shop.Cart.Add\nshop.(*Cart).Add\nshop.(*Cart).Del",
		"Serve\nnet/http.(*Server).Serve\nmain.serve",
	};
	static const char *const quoted[] = {
		"\0\0\0\0\0\0\xf8\x3f\3\3plain", "12345678\2\3\"\\\n\t\x1b[31m\xc3\xbc\xe2\x80\xae",
		"abcdefgh\1\1\xed\xa0\x80\xf4\x90\x80\x80\xff",
		"abcdefgh\1\1[{\"id\":\"0123\",\"names\":[\"a\\u00e9\",\"b\"]},{\"a\":{\"b.c\":-1.5e3}},null]",
	};

	lines("spec", specs, sizeof(specs) / sizeof(*specs));
	lines("near", names, sizeof(names) / sizeof(*names));
	lines("quote", quoted, sizeof(quoted) / sizeof(*quoted));
}

static void code(void)
{
	static const uint8_t small[] = {
		0x0f, 0, 0x49, 0x3b, 0x66, 0x10, 0x76, 0x02, 0xc3, 0xcc, 0xe8, 1,
		0, 0, 0, 0xeb, 0xef,
	};
	static const uint8_t huge[] = {
		0, 1, 0x49, 0x89, 0xe4, 0x49, 0x81, 0xec, 0, 0x20, 0, 0, 0x72,
		0x08, 0x4d, 0x3b, 0x66, 0x10, 0x76, 0x02, 0x55, 0xc3, 0xe8, 0, 0,
		0, 0, 0xff, 0xe0, 0xcc,
	};
	static const uint8_t old[] = {
		0, 0, 0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48,
		0x3b, 0x61, 0x10, 0x76, 0x01, 0xc3, 0xe8, 0, 0, 0, 0,
	};

	seed_save("insn", 0, small, sizeof(small));
	seed_save("insn", 1, huge, sizeof(huge));
	seed_save("insn", 2, old, sizeof(old));
}

static void attr(struct synth_bytes *b, uint16_t type, const void *p, uint16_t n)
{
	const struct nlattr a = { (uint16_t)(sizeof(a) + n), type };

	synth_put(b, &a, sizeof(a));
	synth_put(b, p, n);
	synth_align(b, 4);
}

/* Any types and any record are as good as others. */
static void values(void)
{
	uint8_t bytes[2048];
	uint32_t r = 1;

	for (unsigned int i = 0; i < 32; i++) {
		for (size_t k = 0; k < sizeof(bytes); k++) {
			r = r * 1664525 + 1013904223;
			bytes[k] = (uint8_t)(r >> 24);
		}
		/* A record that is made, not one of any bytes. */
		bytes[0] &= 0x3f;
		seed_save("value", i, bytes, sizeof(bytes));
	}
}

/* A reply, answers to dumps, errors with and without the request. */
static void messages(void)
{
	static const uint64_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const struct {
		struct goprobe_tally t;
		uint64_t buckets[2];
	} tally = { .t = { .first = 4, .nbuckets = 2 } };
	static const struct {
		struct goprobe_key_stats k;
		uint64_t key[2];
	} keyed = { .k.key_bytes = 16 };
	static const struct {
		struct goprobe_open_call o;
		uint64_t record[8];
	} open = { .o.record_bytes = 64 };
	const uint16_t types[] = { [6] = NLMSG_ERROR, NLMSG_ERROR, NLMSG_DONE };

	for (unsigned int i = 0; i < 9; i++) {
		struct nlmsghdr h = {
			.nlmsg_type = types[i],
			.nlmsg_flags = i < 6 ? 0 : NLM_F_ACK_TLVS |
				       (i == 6 ? NLM_F_CAPPED : 0),
		};
		struct nlmsgerr e = { .error = -1, .msg.nlmsg_len = sizeof(h) + 8 };
		struct genlmsghdr g = {
			.cmd = GOPROBE_CMD_READ, .version = GOPROBE_GENL_VERSION,
		};
		struct synth_bytes b = { .p = NULL }, seed = { .p = NULL };

		synth_put(&b, &h, sizeof(h));
		if (i < 6)
			synth_put(&b, &g, sizeof(g));
		else
			synth_put(&b, &e, i == 8 ? sizeof(e.error) : sizeof(e));
		if (i == 7)
			synth_zero(&b, 8);
		if (i >= 6)
			attr(&b, NLMSGERR_ATTR_MSG, "no", 3);
		attr(&b, GOPROBE_A_CPU, words, 4);
		attr(&b, GOPROBE_A_RECORDS, words, 64);
		attr(&b, GOPROBE_A_TIME, words, 8);
		attr(&b, GOPROBE_A_PIDS, words, 8);
		attr(&b, GOPROBE_A_POINTS, words, 40);
		attr(&b, GOPROBE_A_PATH, "/a", 3);
		attr(&b, GOPROBE_A_TALLIES, &tally, sizeof(tally));
		attr(&b, GOPROBE_A_KEY_STATS, &keyed, sizeof(keyed));
		attr(&b, GOPROBE_A_OPEN_CALLS, &open, sizeof(open));
		synth_u8(&seed, (uint8_t)i);
		synth_u8(&seed, 0);
		synth_put(&seed, b.p, b.n);
		seed_save("netlink", i, seed.p, seed.n);
		synth_fini(&seed);
		synth_fini(&b);
	}
}

static void entry(struct synth_bytes *b, uint32_t kind, const void *p, uint32_t n)
{
	const struct recording_mark m = { .kind = kind, .size = n, .cpu = 1 };

	synth_put(b, &m, sizeof(m));
	if (n)
		synth_put(b, p, n);
	synth_align(b, 8);
}

/* One entry of each kind, in their order. */
static void recording(void)
{
	const struct recording_head head = {
		.magic = RECORDING_MAGIC, .order = RECORDING_ORDER, .version = RECORDING_VERSION,
	};
	const struct recording_pass pass = { .time = 7 };
	struct goprobe_record records[2] = {
		{ .words = sizeof(*records) / 8, .time = 5 },
		{ .words = sizeof(*records) / 8, .time = 9 },
	};
	const struct recording_option option = { .key = GOPROBE_OPTION_DEPTH, .value = 1 };
	uint8_t zeros[256] = { 0 };
	struct synth_bytes b = { .p = NULL };

	/* The magic has no space for a NUL. */
	synth_put(&b, &head, sizeof(head));
	entry(&b, RECORDING_FILE, zeros, sizeof(struct recording_file) + 5);
	entry(&b, RECORDING_SPEC, "main.f", 6);
	entry(&b, RECORDING_OPTION, &option, sizeof(option));
	entry(&b, RECORDING_START, zeros, sizeof(struct recording_start));
	entry(&b, RECORDING_RECORDS, records, sizeof(records));
	entry(&b, RECORDING_PASS, &pass, sizeof(pass));
	entry(&b, RECORDING_LEARNED, zeros, sizeof(struct recording_learned));
	entry(&b, RECORDING_SETTLED, NULL, 0);
	entry(&b, RECORDING_END, zeros, sizeof(struct recording_end) + 3 * 8);
	seed_save("recording", 0, b.p, b.n);
	synth_fini(&b);
}

/* Names such as there are, then places and stacks of any kind. */
static void stacks(void)
{
	static const char names[] = "main.main\n/src/main.go\nmain.F[go.shape.struct { X int; Y int }]\n"
		"\nmain.(*T).Get\n/bin/a \"b\"\n\033[31m\nruntime.goexit\n";
	uint8_t seed[sizeof(names) + 400];
	uint32_t v = 7;

	for (unsigned int number = 0; number < 4; number++) {
		memcpy(seed, names, sizeof(names) - 1);
		for (size_t i = sizeof(names) - 1; i < sizeof(seed); i++) {
			v = v * 1664525 + 1013904223;
			seed[i] = v >> 24;
		}
		seed_save("stacks", number, seed, sizeof(seed));
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 2;
	}
	dir = argv[1];
	make_dir(dir);
	tables();
	programs();
	texts();
	code();
	messages();
	recording();
	values();
	stacks();
	seed_requests();
	seed_types();
	seed_dwarf();
	return 0;
}
