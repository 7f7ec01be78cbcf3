// SPDX-License-Identifier: GPL-2.0
/*
 * reader - a client of goprobe.ko that throws away what it reads
 *
 * Isolates the kernel's cost from goprobectl's. Places one probe on the bench's
 * target, says "ready" and obeys lines on its standard input: "end" makes it
 * stop, read what is left and print its counters. It speaks raw netlink: a
 * library would be part of what is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <goprobe.h>

#define BUFFER	GOPROBE_LARGE_BYTES

struct msg {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	char attrs[2048];
};

static int sock;
static __u16 family = GENL_ID_CTRL;
static __u32 seq;
static char buffer[BUFFER];

static __u64 records, record_bytes, lost;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list ap;

	fputs("reader: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void begin(struct msg *m, int cmd, int flags)
{
	memset(m, 0, sizeof(*m));
	m->nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	m->nl.nlmsg_type = family;
	m->nl.nlmsg_flags = NLM_F_REQUEST | flags;
	m->nl.nlmsg_seq = ++seq;
	m->genl.cmd = cmd;
	m->genl.version = GOPROBE_GENL_VERSION;
}

static void put(struct msg *m, int type, const void *data, size_t size)
{
	struct nlattr *a = (void *)m + m->nl.nlmsg_len;

	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + size;
	memcpy((char *)a + NLA_HDRLEN, data, size);
	m->nl.nlmsg_len += NLA_ALIGN(a->nla_len);
}

static void put_u32(struct msg *m, int type, __u32 value)
{
	put(m, type, &value, sizeof(value));
}

static void *find(const struct nlmsghdr *nl, int type, int *size)
{
	char *at = (char *)nl + NLMSG_LENGTH(GENL_HDRLEN);
	char *end = (char *)nl + nl->nlmsg_len;

	while (end - at >= NLA_HDRLEN) {
		struct nlattr *a = (void *)at;

		if ((a->nla_type & NLA_TYPE_MASK) == type) {
			if (size)
				*size = a->nla_len - NLA_HDRLEN;
			return at + NLA_HDRLEN;
		}
		at += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static void refused(const struct nlmsghdr *nl, int err)
{
	const struct nlmsgerr *e = NLMSG_DATA(nl);
	const char *why = "";

	if (nl->nlmsg_flags & NLM_F_ACK_TLVS) {
		const struct nlattr *a = (const void *)(e + 1);

		if (a->nla_type == NLMSGERR_ATTR_MSG)
			why = (const char *)a + NLA_HDRLEN;
	}
	die("%s: %s", strerror(err), why);
}

/* Send a message; give each answer to @each until the kernel says that was all. */
static void call(struct msg *m, void (*each)(const struct nlmsghdr *nl, void *arg),
		 void *arg)
{
	if (send(sock, m, m->nl.nlmsg_len, 0) < 0)
		die("send: %s", strerror(errno));
	for (;;) {
		ssize_t n = recv(sock, buffer, sizeof(buffer), 0);
		struct nlmsghdr *nl = (void *)buffer;

		if (n < 0)
			die("recv: %s", strerror(errno));
		for (; NLMSG_OK(nl, n); nl = NLMSG_NEXT(nl, n)) {
			int err;

			if (nl->nlmsg_seq != seq)
				continue;	/* READY */
			if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE) {
				err = -*(int *)NLMSG_DATA(nl);
				if (err)
					refused(nl, err);
				return;
			}
			if (each)
				each(nl, arg);
		}
	}
}

static void take_family(const struct nlmsghdr *nl, void *arg)
{
	(void)arg;
	family = *(__u16 *)find(nl, CTRL_ATTR_FAMILY_ID, NULL);
}

static void connect_to_module(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	struct msg m;
	int on = 1;

	sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (sock < 0 || bind(sock, (void *)&address, sizeof(address)))
		die("netlink: %s", strerror(errno));
	setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(sock, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	begin(&m, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	put(&m, CTRL_ATTR_FAMILY_NAME, GOPROBE_GENL_NAME, sizeof(GOPROBE_GENL_NAME));
	call(&m, take_family, NULL);
}

/* One message's records: looked at, not used. */
static void take_records(const struct nlmsghdr *nl, void *arg)
{
	__u64 *backlog = arg, *word;
	int size = 0;
	char *at = find(nl, GOPROBE_A_RECORDS, &size);

	word = find(nl, GOPROBE_A_BACKLOG, NULL);
	if (word)
		memcpy(backlog, word, sizeof(*backlog));
	if (!at)
		return;
	while (size > 0) {
		const struct goprobe_record *rec = (const void *)at;

		if (rec->kind == GOPROBE_RECORD_LOST) {
			lost += ((const struct goprobe_lost *)(rec + 1))->count;
		} else {
			records++;
			record_bytes += rec->words * 8;
		}
		size -= rec->words * 8;
		at += rec->words * 8;
	}
}

/* Returns the backlog. */
static __u64 read_pass(void)
{
	__u64 backlog = 0;
	struct msg m;

	begin(&m, GOPROBE_CMD_READ, NLM_F_DUMP);
	call(&m, take_records, &backlog);
	return backlog;
}

static void take_stats(const struct nlmsghdr *nl, void *arg)
{
	int size = 0;
	const void *at = find(nl, GOPROBE_A_STATS, &size);

	if (at && (size_t)size >= __GOPROBE_STAT_MAX * sizeof(__u64))
		memcpy(arg, at, __GOPROBE_STAT_MAX * sizeof(__u64));
}

static void simple(int cmd)
{
	struct msg m;

	begin(&m, cmd, NLM_F_ACK);
	call(&m, NULL, NULL);
}

/* func(a, b int, s string) in Go's register ABI: ax, bx, cx and di. */
static const struct goprobe_piece pieces[] = {
	{ .source = GOPROBE_FROM_INT_REG, .reg = 0, .size = 8, .frame = 0 },
	{ .source = GOPROBE_FROM_INT_REG, .reg = 3, .size = 8, .frame = 8 },
	{ .source = GOPROBE_FROM_INT_REG, .reg = 2, .size = 8, .frame = 16 },
	{ .source = GOPROBE_FROM_INT_REG, .reg = 5, .size = 8, .frame = 24 },
	/* The string's pointer alone, as one to an order. */
	{ .source = GOPROBE_FROM_INT_REG, .reg = 2, .size = 8, .frame = 0 },
};

/* As bench/target's order has it, and what it refers to. */
enum { ORDER, CUSTOMER, ITEM, AGENT, WIDE, NAMES, TYPES };

static const struct goprobe_ref refs[] = {
	/* ORDER, of which the names are not followed */
	{ .offset = 16, .kind = GOPROBE_REF_POINTER, .type = CUSTOMER },
	{ .offset = 24, .kind = GOPROBE_REF_SLICE, .type = ITEM },
	{ .offset = 48, .kind = GOPROBE_REF_STRING },
	/* CUSTOMER */
	{ .offset = 0, .kind = GOPROBE_REF_STRING },
	{ .offset = 16, .kind = GOPROBE_REF_STRING },
	{ .offset = 32, .kind = GOPROBE_REF_POINTER, .type = AGENT },
	/* ITEM */
	{ .offset = 0, .kind = GOPROBE_REF_STRING },
	/* WIDE: the order, of which only the names are followed */
	{ .offset = 64, .kind = GOPROBE_REF_SLICE, .type = NAMES },
	/* NAMES */
	{ .offset = 0, .kind = GOPROBE_REF_STRING },
};

static const struct goprobe_type types[TYPES] = {
	[ORDER] = { 88, 0, 3 },
	[CUSTOMER] = { 80, 3, 3 },
	[ITEM] = { 32, 6, 1 },
	[AGENT] = { 40, 0, 0 },
	[WIDE] = { 88, 7, 1 },
	[NAMES] = { 16, 8, 1 },
};

/* order.customer.name, order.customer.id[1] and order.items[2].cents. */
static const struct goprobe_op ops[] = {
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 2 },
	{ .code = GOPROBE_OP_TRY, .offset = 2, .value = 0 },
	{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8, .value = 16 },
	{ .code = GOPROBE_OP_COPY, .b = 2, .size = 16, .offset = 16 },
	{ .code = GOPROBE_OP_TRY, .offset = 3, .value = 1 },
	{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8, .value = 16 },
	{ .code = GOPROBE_OP_LOAD, .a = 3, .b = 2, .size = 8, .value = 48 },
	{ .code = GOPROBE_OP_STORE, .a = 3, .size = 8, .offset = 0 },
	{ .code = GOPROBE_OP_TRY, .offset = 8, .value = 2 },
	{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8, .value = 24 },
	{ .code = GOPROBE_OP_LOAD, .a = 3, .b = 1, .size = 8, .value = 32 },
	{ .code = GOPROBE_OP_IMM, .a = 4, .value = 2 },
	{ .code = GOPROBE_OP_JLT, .a = 4, .b = 3, .offset = 1 },
	{ .code = GOPROBE_OP_FAIL, .value = GOPROBE_CHUNK_RANGE },
	{ .code = GOPROBE_OP_MUL_I, .a = 4, .value = 32 },
	{ .code = GOPROBE_OP_ADD, .a = 2, .b = 4 },
	{ .code = GOPROBE_OP_COPY, .b = 2, .size = 8, .offset = 8, .value = 24 },
};

/* The captured values, by name; they make the frame's type. */
static const struct shape {
	const char *name;
	struct goprobe_type frame;
	struct goprobe_ref ref;
	__u32 piece, npieces, nops, depth;
} shapes[] = {
	{ "ints", { 16, 0, 0 }, { 0 }, 0, 2, 0, 1 },
	{ "words", { 32, 0, 0 }, { 0 }, 0, 4, 0, 0 },
	{ "string", { 32, 0, 1 }, { .offset = 16, .kind = GOPROBE_REF_STRING }, 0, 4, 0, 1 },
	{ "walk", { 8, 0, 1 }, { .kind = GOPROBE_REF_POINTER, .type = ORDER }, 4, 1, 0, 3 },
	{ "wide", { 8, 0, 1 }, { .kind = GOPROBE_REF_POINTER, .type = WIDE }, 4, 1, 0, 3 },
	{ "program", { 32, 0, 1 }, { .offset = 16, .kind = GOPROBE_REF_STRING }, 0, 0,
	  sizeof(ops) / sizeof(*ops), 1 },
};

static __u32 add_plan(const char *name)
{
	struct goprobe_plan plan = {
		.type = TYPES, .string_limit = 256, .elements = 64, .objects = 64,
		.bytes = 4096,
	};
	const struct shape *s = shapes, *end = s + sizeof(shapes) / sizeof(*shapes);
	struct msg m;

	if (!strcmp(name, "none"))
		return GOPROBE_NO_PLAN;
	while (s < end && strcmp(name, s->name))
		s++;
	if (s == end)
		die("--plan %s: there is no such plan", name);
	plan.npieces = s->npieces;
	plan.nops = s->nops;
	plan.depth = s->depth;
	begin(&m, GOPROBE_CMD_TYPES_ADD, NLM_F_ACK);
	put(&m, GOPROBE_A_TYPES, types, sizeof(types));
	put(&m, GOPROBE_A_REFS, refs, sizeof(refs));
	call(&m, NULL, NULL);
	begin(&m, GOPROBE_CMD_TYPES_ADD, NLM_F_ACK);
	put(&m, GOPROBE_A_TYPES, &s->frame, sizeof(s->frame));
	put(&m, GOPROBE_A_REFS, &s->ref, s->frame.nrefs * sizeof(s->ref));
	call(&m, NULL, NULL);
	begin(&m, GOPROBE_CMD_PLANS_ADD, NLM_F_ACK);
	put(&m, GOPROBE_A_PLANS, &plan, sizeof(plan));
	put(&m, GOPROBE_A_PIECES, pieces + s->piece, s->npieces * sizeof(*pieces));
	put(&m, GOPROBE_A_OPS, ops, s->nops * sizeof(*ops));
	call(&m, NULL, NULL);
	return 0;
}

/* Filters, by name; none is passed by any call, but for rate, other, key and sample. */
static const struct goprobe_op filter_ops[] = {
	/* a == 4 */
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 0 },
	{ .code = GOPROBE_OP_JEQ_I, .a = 1, .value = 4, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT },
	/* a != 4 */
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 0 },
	{ .code = GOPROBE_OP_JNE_I, .a = 1, .value = 4, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT },
	/* s == "0123456789abcdeX" */
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 5 },
	{ .code = GOPROBE_OP_JEQ_I, .a = 1, .value = 16, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT },
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 2 },
	{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8 },
	{ .code = GOPROBE_OP_JEQ_I, .a = 2, .value = 0x3736353433323130, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT },
	{ .code = GOPROBE_OP_LOAD, .a = 2, .b = 1, .size = 8, .value = 8 },
	{ .code = GOPROBE_OP_JEQ_I, .a = 2, .value = 0x5865646362613938, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT },
	/* More in a second than there are. */
	{ .code = GOPROBE_OP_QUOTA, .a = 1, .value = (1 << 24) - 1, .offset = 1000 },
	{ .code = GOPROBE_OP_JNE_I, .a = 1, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT, .value = GOPROBE_REJECT_LIMITED },
	/* None in a second. */
	{ .code = GOPROBE_OP_QUOTA, .a = 1, .offset = 1000 },
	{ .code = GOPROBE_OP_JNE_I, .a = 1, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT, .value = GOPROBE_REJECT_LIMITED },
	/* All pass, with the key a & 15. */
	{ .code = GOPROBE_OP_REG, .a = 1, .b = 0 },
	{ .code = GOPROBE_OP_IMM, .a = 2, .value = 15 },
	{ .code = GOPROBE_OP_AND, .a = 1, .b = 2 },
	{ .code = GOPROBE_OP_KEY, .a = 1 },
	/* One of 1024 passes. */
	{ .code = GOPROBE_OP_NUMBER, .a = 1, .value = 1 },
	{ .code = GOPROBE_OP_IMM, .a = 2, .value = 1023 },
	{ .code = GOPROBE_OP_AND, .a = 1, .b = 2 },
	{ .code = GOPROBE_OP_JEQ_I, .a = 1, .offset = 1 },
	{ .code = GOPROBE_OP_REJECT, .value = GOPROBE_REJECT_SAMPLED },
};

static const struct {
	const char *name;
	struct goprobe_filter filter;
} filters[] = {
	{ "int", { 0, 3 } },
	{ "other", { 3, 3 } },
	{ "string", { 6, 10 } },
	{ "rate", { 16, 3 } },
	{ "beyond", { 19, 3 } },
	{ "key", { 22, 4 } },
	{ "sample", { 26, 5 } },
};

/* Its id, or 0. */
static __u32 add_filter(const char *name)
{
	struct msg m;

	if (!name)
		return 0;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		if (strcmp(name, filters[i].name))
			continue;
		begin(&m, GOPROBE_CMD_FILTERS_ADD, NLM_F_ACK);
		put(&m, GOPROBE_A_FILTERS, &filters[i].filter, sizeof(filters[i].filter));
		put(&m, GOPROBE_A_OPS, filter_ops, sizeof(filter_ops));
		call(&m, NULL, NULL);
		return 1;
	}
	die("--filter %s: there is no such filter", name);
}

struct options {
	const char *file, *plan, *filter;
	__s32 pid;
	__u32 ring_bytes;
	struct goprobe_point point;
	__u64 ret;
	int frame;
	bool hold, start, goroutine;
};

static void attach(const struct options *o)
{
	/* Go 1.19 to 1.22. */
	struct goprobe_runtime rt = {
		.g_reg = o->goroutine ? 14 : 0, .g_tls = -8, .g_stack_lo = 0, .g_stack_hi = 8,
		.g_goid = 152, .g_m = 48, .m_curg = 192, .m_procid = 72,
	};
	const struct goprobe_key_limit keys = { .number = 4096, .bytes = 8 };
	struct goprobe_point points[2] = { o->point, o->point };
	int fd = open(o->file, O_RDONLY | O_CLOEXEC), n = o->ret ? 2 : 1, i;
	struct msg m;

	points[1].offset = o->ret;
	points[1].kind = GOPROBE_POINT_RETURN;
	points[1].skip = GOPROBE_SKIP_NEVER;
	points[1].sp_adjust = o->frame;
	for (i = 0; i < n; i++) {
		struct goprobe_point *p = &points[i];

		if (fd < 0 || pread(fd, p->code, sizeof(p->code), p->offset) < 0)
			die("%s: %s", o->file, strerror(errno));
		p->code_len = sizeof(p->code);
	}
	begin(&m, GOPROBE_CMD_SESSION_NEW, NLM_F_ACK);
	put_u32(&m, GOPROBE_A_RING_BYTES, o->ring_bytes);
	put_u32(&m, GOPROBE_A_FLAGS, GOPROBE_SESSION_F_LARGE |
		(o->point.flags & GOPROBE_POINT_F_JUMP ?
		 GOPROBE_SESSION_F_JUMPS | GOPROBE_SESSION_F_JUMPS_AT_ONCE : 0));
	put(&m, GOPROBE_A_PIDS, &o->pid, sizeof(o->pid));
	if (o->filter && !strcmp(o->filter, "key"))
		put(&m, GOPROBE_A_KEY_LIMIT, &keys, sizeof(keys));
	call(&m, NULL, NULL);
	begin(&m, GOPROBE_CMD_FILE_ADD, NLM_F_ACK);
	put_u32(&m, GOPROBE_A_FD, fd);
	put(&m, GOPROBE_A_RUNTIME, &rt, sizeof(rt));
	call(&m, NULL, NULL);
	points[0].plan = add_plan(o->plan);
	points[1].plan = points[0].plan;
	points[0].filter = add_filter(o->filter);
	begin(&m, GOPROBE_CMD_POINTS_ADD, NLM_F_ACK);
	put_u32(&m, GOPROBE_A_FILE, 0);
	put(&m, GOPROBE_A_POINTS, points, n * sizeof(*points));
	call(&m, NULL, NULL);
	if (o->start)
		simple(GOPROBE_CMD_START);
}

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Read when notified, until there is a line on standard input. */
static void follow(const struct options *o)
{
	for (;;) {
		struct pollfd p[] = {
			{ .fd = 0, .events = POLLIN },
			{ .fd = sock, .events = POLLIN },
		};

		while (read_pass() > o->ring_bytes / 4)
			;
		if (poll(p, 2, 1000) < 0 || p[0].revents)
			return;
		while (readable(sock))
			recv(sock, buffer, sizeof(buffer), 0);
	}
}

static void usage(void)
{
	fputs("usage: reader --pid PID --file FILE --offset N [--skip]\n"
	      "              [--plan none|ints|words|string|walk|wide|program]\n"
	      "              [--ring BYTES] [--hold] [--no-start] [--no-goroutine]\n"
	      "              [--count | --time [--return OFFSET [--frame BYTES]]] [--jump]\n"
	      "              [--filter int|other|string|rate|beyond|key|sample]\n", stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "file", required_argument, NULL, 'f' },
		{ "offset", required_argument, NULL, 'o' },
		{ "skip", no_argument, NULL, 's' },
		{ "plan", required_argument, NULL, 'l' },
		{ "ring", required_argument, NULL, 'r' },
		{ "hold", no_argument, NULL, 'h' },
		{ "no-start", no_argument, NULL, 'n' },
		{ "no-goroutine", no_argument, NULL, 'g' },
		{ "count", no_argument, NULL, 'c' },
		{ "time", no_argument, NULL, 't' },
		{ "return", required_argument, NULL, 'e' },
		{ "frame", required_argument, NULL, 'a' },
		{ "filter", required_argument, NULL, 'i' },
		{ "jump", no_argument, NULL, 'j' },
		{ }
	};
	__u64 stats[__GOPROBE_STAT_MAX] = { };
	struct options o = {
		.plan = "string", .ring_bytes = 1 << 20, .start = true, .goroutine = true,
		.point = { .id = 1, .kind = GOPROBE_POINT_CALL },
	};
	char line[16];
	struct msg m;
	int c;

	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'p':
			o.pid = atoi(optarg);
			break;
		case 'f':
			o.file = optarg;
			break;
		case 'o':
			o.point.offset = strtoull(optarg, NULL, 0);
			break;
		case 's':
			o.point.skip = GOPROBE_SKIP_IF_BE;
			break;
		case 'l':
			o.plan = optarg;
			break;
		case 'r':
			o.ring_bytes = strtoul(optarg, NULL, 0);
			break;
		case 'h':
			o.hold = true;
			break;
		case 'n':
			o.start = false;
			break;
		case 'g':
			o.goroutine = false;
			break;
		case 'c':
			o.point.action = GOPROBE_ACTION_COUNT;
			o.plan = "none";
			break;
		case 't':
			o.point.action = GOPROBE_ACTION_TIME;
			o.plan = "none";
			break;
		case 'j':
			o.point.flags = GOPROBE_POINT_F_JUMP;
			break;
		case 'i':
			o.filter = optarg;
			break;
		case 'a':
			o.frame = atoi(optarg);
			break;
		case 'e':
			o.ret = strtoull(optarg, NULL, 0);
			break;
		default:
			usage();
		}
	}
	if (!o.pid || !o.file || !o.point.offset || optind != argc)
		usage();
	connect_to_module();
	attach(&o);
	read_pass();	/* from now on the module notifies of new records */
	puts("ready");
	fflush(stdout);
	if (!o.hold)
		follow(&o);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	simple(GOPROBE_CMD_STOP);
	while (read_pass())
		;
	begin(&m, GOPROBE_CMD_GET_STATS, NLM_F_ACK);
	call(&m, take_stats, stats);
	printf("records=%llu bytes=%llu lost=%llu not_started=%llu counted=%llu opened=%llu timed=%llu filtered=%llu limited=%llu\n",
	       records, record_bytes, lost, stats[GOPROBE_STAT_NOT_STARTED],
	       stats[GOPROBE_STAT_COUNTED], stats[GOPROBE_STAT_OPENED],
	       stats[GOPROBE_STAT_TIMED], stats[GOPROBE_STAT_FILTERED],
	       stats[GOPROBE_STAT_LIMITED]);
	return 0;
}
