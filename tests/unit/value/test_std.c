// SPDX-License-Identifier: GPL-2.0
/* value/std.c and the forms in it; text in lines. */
#include <string.h>

#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal
#define POINTER_TO(name_, elem_) TYPE(POINTER, name_, 8, .elem = &(elem_))

static const struct gofield time_fields[] = {
	{ "wall", &t_uint64, 0 }, { "ext", &t_int64, 8 }, { "loc", &t_unsafe, 16 },
};

static const struct gotype t_time = TYPE(STRUCT, "time.Time", 24, FIELDS(time_fields));
static const struct gotype p_time = POINTER_TO("*time.Time", t_time);
static const struct gotype t_duration = TYPE(INT, "time.Duration", 8);
/* Somebody else's, of that name. */
static const struct gotype t_false_duration = TYPE(INT, "example.com/time.Duration", 8);
static const struct gotype t_month = TYPE(INT, "time.Month", 8);
static const struct gotype t_weekday = TYPE(INT, "time.Weekday", 8);
static const struct gofield span_fields[] = {
	{ "From", &t_time, 0 }, { "For", &t_duration, 24 }, { "In", &t_month, 32 },
};

static const struct gotype t_span = TYPE(STRUCT, "main.Span", 40, FIELDS(span_fields));

TEST(test_times, "times in UTC; JSON keeps the numbers")
{
	static const struct {
		uint64_t wall, ext;
		const char *text;
	} rows[] = {
		{ 0, 0, "time.Time{}" },
		{ 0, 62135596800, "1970-01-01T00:00:00Z" },
		{ 104881000, 63930866602, "2026-11-21T14:03:22.104881Z" },
		{ 1, 63930866602, "2026-11-21T14:03:22.000000001Z" },
		/* With a monotonic reading, 12345: seconds since 1885. */
		{ 1ULL << 63 | 4477557802ULL << 30 | 500000000, 12345, "2026-11-21T14:03:22.5Z" },
		{ 0, 1, "0001-01-01T00:00:01Z" },
		{ 0, -1, "0000-12-31T23:59:59Z" },
		{ 0, -86400 * 367LL, "-0001-12-31T00:00:00Z" },
		{ 0, 951782400 + 62135596800, "2000-02-29T00:00:00Z" },
		{ 0, 253402300800 + 62135596800, "10000-01-01T00:00:00Z" },
	};

	recs_begin();
	for (size_t i = 0; i < N(rows); i++)
		SAYS(SHOW(&t_time, rows[i].wall, rows[i].ext, 0), rows[i].text);
	SAYS(JSON(&t_time, 104881000, 63930866602, 0),
	     "{'wall':104881000,'ext':63930866602,'loc':null},'text':'2026-11-21T14:03:22.104881Z'");
	/* Nonsense looks like any other struct. */
	SAYS(SHOW(&t_time, 0, INT64_MIN, 0),
	     "time.Time{wall: 0, ext: -9223372036854775808, loc: nil}");
	SAYS(SHOW(&t_time, 1073741823, 5, 0), "time.Time{wall: 1073741823, ext: 5, loc: nil}");
	PUT(0x100, 0, 62135596800, 0);
	SAYS(SHOW(&p_time, 0x100), "&1970-01-01T00:00:00Z");

	uint64_t boxed = recs_type(&t_time, false);

	SAYS(SHOW(&t_any, boxed, 0x100), "time.Time(1970-01-01T00:00:00Z)");
	SAYS(JSON(&t_any, boxed, 0x100),
	     "{'type':'time.Time','address':'0x100','value':{'wall':0,'ext':62135596800,'loc':null},'text':'1970-01-01T00:00:00Z'}");
	SAYS(SHOW(&t_span, 0, 62135596800, 0, 1500000000, 11),
	     "main.Span{From: 1970-01-01T00:00:00Z, For: 1.5s, In: time.November}");
	SAYS(JSON(&t_span, 0, 62135596800, 0, 1500000000, 11),
	     "{'From':{'type':'time.Time','value':{'wall':0,'ext':62135596800,'loc':null},'text':'1970-01-01T00:00:00Z'},'For':1500000000,'In':11}");
}

TEST(test_durations, "durations, months, days as package time writes them")
{
	static const struct {
		int64_t d;
		const char *text;
	} rows[] = {
		{ 0, "0s" }, { 1, "1ns" }, { 1500, "1.5\u00b5s" }, { 2000000, "2ms" },
		{ 1000001, "1.000001ms" }, { 1500000000, "1.5s" }, { -1500000000, "-1.5s" },
		{ 60000000000, "1m0s" }, { 3661000000001, "1h1m1.000000001s" },
		{ 36000000000000, "10h0m0s" },
		{ INT64_MIN, "-2562047h47m16.854775808s" },
		{ INT64_MAX, "2562047h47m16.854775807s" },
	};

	recs_begin();
	for (size_t i = 0; i < N(rows); i++)
		SAYS(SHOW(&t_duration, rows[i].d), rows[i].text);
	SAYS(JSON(&t_duration, 1500000000), "1500000000,'text':'1.5s'");
	SAYS(SHOW(&t_false_duration, 5), "time.Duration(5)");
	SAYS(JSON(&t_false_duration, 5), "5");
	SAYS(SHOW(&t_month, 1), "time.January");
	SAYS(SHOW(&t_month, 13), "time.Month(13)");
	SAYS(SHOW(&t_weekday, 6), "time.Saturday");
	SAYS(JSON(&t_weekday, 0), "0,'text':'time.Sunday'");
}

static const struct gofield string_fields[] = { { "s", &t_string, 0 } };
static const struct gotype t_errstr = TYPE(STRUCT, "errors.errorString", 16,
					   FIELDS(string_fields));
static const struct gotype p_errstr = POINTER_TO("*errors.errorString", t_errstr);
/* Somebody else's, whose Error() may say something else. */
static const struct gotype t_false_errstr = TYPE(STRUCT, "example.com/errors.errorString", 16,
						 FIELDS(string_fields));
static const struct gofield wrap_fields[] = { { "msg", &t_string, 0 }, { "err", &t_error, 16 } };
static const struct gotype t_wrap = TYPE(STRUCT, "fmt.wrapError", 32, FIELDS(wrap_fields));
static const struct gotype p_wrap = POINTER_TO("*fmt.wrapError", t_wrap);
static const struct gofield path_fields[] = {
	{ "Op", &t_string, 0 }, { "Path", &t_string, 16 }, { "Err", &t_error, 32 },
};

static const struct gotype t_path = TYPE(STRUCT, "io/fs.PathError", 48, FIELDS(path_fields));
static const struct gotype p_path = POINTER_TO("*io/fs.PathError", t_path);
static const struct gotype t_errno = TYPE(UINT, "syscall.Errno", 8);
static const struct gofield own_fields[] = { { "ID", &t_int, 0 }, { "Err", &t_error, 8 } };
static const struct gotype t_own = TYPE(STRUCT, "main.NotFound", 24, FIELDS(own_fields));
static const struct gotype p_own = POINTER_TO("*main.NotFound", t_own);
static const struct gofield num_fields[] = {
	{ "Func", &t_string, 0 }, { "Num", &t_string, 16 }, { "Err", &t_error, 32 },
};

static const struct gotype t_num = TYPE(STRUCT, "strconv.NumError", 48, FIELDS(num_fields));
static const struct gotype p_num = POINTER_TO("*strconv.NumError", t_num);
static const struct gotype t_runtime = TYPE(STRING, "runtime.errorString", 16);

TEST(test_errors, "errors say what Error() says, and what they wrap")
{
	uint64_t errstr, wrap, path, no, own, num, runtime;

	recs_begin();
	errstr = recs_type(&p_errstr, true);
	wrap = recs_type(&p_wrap, true);
	path = recs_type(&p_path, true);
	no = recs_type(&t_errno, false);
	own = recs_type(&p_own, true);
	num = recs_type(&p_num, true);
	runtime = recs_type(&t_runtime, false);
	recs_itab(0x1000, errstr);
	recs_itab(0x1100, wrap);
	recs_itab(0x1200, path);
	recs_itab(0x1300, no);
	recs_itab(0x1400, own);
	recs_itab(0x1500, num);
	recs_itab(0x1600, runtime);
	PUT(0x100, 0x200, 4);
	recs_text(0x200, "boomload: open /x: no such fileopen/xAtoi\"1\"");
	PUT(0x300, 0x204, 27, 0x1200, 0x400);
	PUT(0x400, 0x200 + 31, 4, 0x200 + 35, 2, 0x1300, 0x500);
	PUT(0x500, 2);
	PUT(0x600, 7, 0x1000, 0x100);
	PUT(0x700, 0x200 + 37, 4, 0x200 + 41, 3, 0x1000, 0x100);

	SAYS(SHOW(&t_error, 0x1000, 0x100), "*errors.errorString(\"boom\")");
	SAYS(JSON(&t_error, 0x1000, 0x100),
	     "{'type':'*errors.errorString','address':'0x100','value':'0x100','to':{'s':'boom'},'message':'boom'}");
	SAYS(SHOW(&t_error, 0x1300, 0x500), "syscall.Errno(\"no such file or directory\")");
	/* Numbers that Go has no text for, though the C library has one for the last. */
	PUT(0x580, 41, 58, 133, 0);
	SAYS(SHOW(&t_error, 0x1300, 0x580), "syscall.Errno(\"errno 41\")");
	SAYS(SHOW(&t_error, 0x1300, 0x588), "syscall.Errno(\"errno 58\")");
	SAYS(SHOW(&t_error, 0x1300, 0x590), "syscall.Errno(\"errno 133\")");
	SAYS(SHOW(&t_error, 0x1300, 0x598), "syscall.Errno(0)");
	SAYS(SHOW(&t_error, 0x1200, 0x400),
	     "*fs.PathError(\"open /x: no such file or directory\", syscall.Errno)");
	SAYS(SHOW(&t_error, 0x1100, 0x300),
	     "*fmt.wrapError(\"load: open /x: no such file\", *fs.PathError, syscall.Errno)");
	/* The messages of a program's own errors are known to the program only. */
	SAYS(SHOW(&t_error, 0x1400, 0x600),
	     "&main.NotFound{ID: 7, Err: *errors.errorString(\"boom\")}");
	SAYS(SHOW(&t_error, 0x1500, 0x700),
	     "*strconv.NumError(\"strconv.Atoi: parsing \\\"\\\\\\\"1\\\\\\\"\\\": boom\", *errors.errorString)");
	SAYS(SHOW(&t_error, 0x1600, 0x100), "runtime.errorString(\"runtime error: boom\")");
	SAYS(SHOW(&p_errstr, 0x100), "*errors.errorString(\"boom\")");
	SAYS(SHOW(&t_false_errstr, 0x200, 4), "errors.errorString{s: \"boom\"}");
	SAYS(SHOW(&t_error, 0x1000, 0), "(*errors.errorString)(nil)");
	SAYS(SHOW(&t_error, 0x1000, 0x999), "(*errors.errorString)(0x999)");
	/* A message of which a part is missing is no message. */
	PUT(0x800, 0x9999, 4, 0x200 + 35, 2, 0x1300, 0x500);
	SAYS(SHOW(&t_error, 0x1200, 0x800),
	     "&fs.PathError{Op: <beyond --depth>, Path: \"/x\", Err: syscall.Errno(\"no such file or directory\")}");
}

static const struct gofield said_fields[] = {
	{ "Code", &t_int32, 0 }, { "Message", &t_string, 8 },
};

static const struct gotype t_said = TYPE(STRUCT, "google.golang.org/genproto/rpc/status.Status", 24,
					 FIELDS(said_fields));
static const struct gotype p_said = POINTER_TO("*google.golang.org/genproto/rpc/status.Status",
					       t_said);
static const struct gofield status_fields[] = { { "s", &p_said, 0 } };
static const struct gotype t_status = TYPE(STRUCT, "google.golang.org/grpc/internal/status.Status",
					   8, FIELDS(status_fields));
static const struct gotype p_status = POINTER_TO("*google.golang.org/grpc/internal/status.Status",
						 t_status);
static const struct gofield rpc_fields[] = { { "s", &p_status, 0 } };
static const struct gotype t_rpc = TYPE(STRUCT, "google.golang.org/grpc/internal/status.Error", 8,
					FIELDS(rpc_fields));
static const struct gotype p_rpc = POINTER_TO("*google.golang.org/grpc/internal/status.Error",
					      t_rpc);
static const struct gotype t_errors = TYPE(SLICE, "[]error", 24, .elem = &t_error);
static const struct gofield multi_fields[] = { { "errors", &t_errors, 8 } };
static const struct gotype t_multi = TYPE(STRUCT, "go.uber.org/multierr.multiError", 32,
					  FIELDS(multi_fields));
static const struct gotype p_multi = POINTER_TO("*go.uber.org/multierr.multiError", t_multi);
static const struct gofield pg_fields[] = {
	{ "Severity", &t_string, 0 }, { "Code", &t_string, 16 }, { "Message", &t_string, 32 },
};

static const struct gotype t_pg = TYPE(STRUCT, "github.com/jackc/pgx/v5/pgconn.PgError", 48,
				       FIELDS(pg_fields));

/* Errors of packages that many programs use. */
TEST(test_package_errors, "so do errors of packages that many programs use")
{
	uint64_t rpc, multi;

	recs_begin();
	rpc = recs_type(&p_rpc, true);
	multi = recs_type(&p_multi, true);
	recs_itab(0x1000, rpc);
	recs_itab(0x1100, multi);
	recs_text(0x200, "no such keyERROR23505duplicate");
	PUT(0x100, 0x110);
	PUT(0x110, 0x120);
	PUT(0x120, 5, 0x200, 11);
	SAYS(SHOW(&t_error, 0x1000, 0x100),
	     "*status.Error(\"rpc error: code = NotFound desc = no such key\")");
	PUT(0x180, 0x188);
	PUT(0x188, 0x190);
	PUT(0x190, 99, 0x200, 2);
	SAYS(SHOW(&t_error, 0x1000, 0x180),
	     "*status.Error(\"rpc error: code = Code(99) desc = no\")");
	SAYS(JSON(&t_error, 0x1000, 0x180),
	     "{'type':'*google.golang.org/grpc/internal/status.Error','address':'0x180','value':'0x180','to':{'s':{'type':'*google.golang.org/grpc/internal/status.Status','value':'0x188','to':{'s':{'type':'*google.golang.org/genproto/rpc/status.Status','value':'0x190','to':{'Code':99,'Message':'no'}}}}},'message':'rpc error: code = Code(99) desc = no'}");
	/* What was not read is no message. */
	PUT(0x1b0, 0x1b8);
	PUT(0x1b8, 0x999);
	SAYS(SHOW(&t_error, 0x1000, 0x1b0),
	     "&status.Error{s: &status.Status{s: (*status.Status)(0x999)}}");
	PUT(0x300, 0, 0x400, 2, 2);
	PUT(0x400, 0x1000, 0x100, 0x1000, 0x180);
	SAYS(SHOW(&t_error, 0x1100, 0x300),
	     "*multierr.multiError(\"rpc error: code = NotFound desc = no such key; rpc error: code = Code(99) desc = no\")");
	SAYS(SHOW(&t_pg, 0x20b, 5, 0x210, 5, 0x215, 9),
	     "pgconn.PgError(\"ERROR: duplicate (SQLSTATE 23505)\")");
}

static const struct gotype t_state =
	TYPE(STRUCT, "google.golang.org/protobuf/internal/impl.MessageState", 8);
static const struct gotype t_ownstate = TYPE(STRUCT, "main.State", 8);
static const struct gofield message_fields[] = {
	{ "state", &t_state, 0 }, { "sizeCache", &t_int, 8 }, { "unknownFields", &t_bytes, 16 },
	{ "Key", &t_int, 40 }, { "XXX_sizecache", &t_int, 48 },
	{ "XXX_unrecognized", &t_bytes, 56 },
};

static const struct gotype t_message = TYPE(STRUCT, "main.Put", 80, FIELDS(message_fields));
static const struct gofield ownmessage_fields[] = {
	{ "state", &t_ownstate, 0 }, { "sizeCache", &t_int, 8 }, { "unknownFields", &t_bytes, 16 },
};

static const struct gotype t_ownmessage = TYPE(STRUCT, "main.Own", 40, FIELDS(ownmessage_fields));

TEST(test_messages, "messages of protobuf without what its code keeps in them")
{
	recs_begin();
	recs_text(0x100, "\x0a");
	SAYS(SHOW(&t_message, 0x55, 7, 0, 0, 0, 3, 7, 0, 0, 0), "main.Put{Key: 3}");
	SAYS(SHOW(&t_message, 0, 0, 0x100, 1, 1, 3, 0, 0x100, 1, 1),
	     "main.Put{unknownFields: []byte(\"\\n\"), Key: 3, XXX_unrecognized: []byte(\"\\n\")}");
	/* Fields of that name in what is no message. */
	SAYS(SHOW(&t_ownmessage, 0, 7, 0, 0, 0),
	     "main.Own{state: main.State{}, sizeCache: 7, unknownFields: nil}");
	SAYS(JSON(&t_message, 0x55, 7, 0, 0, 0, 3, 7, 0, 0, 0),
	     "{'state':{},'sizeCache':7,'unknownFields':null,'Key':3,'XXX_sizecache':7,'XXX_unrecognized':null}");
	recs_ctx.full = true;
	SAYS(SHOW(&t_message, 0x55, 7, 0, 0, 0, 3, 7, 0, 0, 0),
	     "main.Put{state: impl.MessageState{}, sizeCache: 7, unknownFields: nil, Key: 3, XXX_sizecache: 7, XXX_unrecognized: nil}");
	recs_ctx.full = false;
}

static const struct gotype t_ip = TYPE(SLICE, "net.IP", 24, .elem = &t_uint8);
static const struct gotype t_mac = TYPE(SLICE, "net.HardwareAddr", 24, .elem = &t_uint8);
static const struct gofield addr_fields[] = { { "IP", &t_ip, 0 }, { "Port", &t_int, 24 },
					       { "Zone", &t_string, 32 } };
static const struct gotype t_addr = TYPE(STRUCT, "net.TCPAddr", 48, FIELDS(addr_fields));
static const struct gotype p_addr = POINTER_TO("*net.TCPAddr", t_addr);
static const struct gotype i_addr = TYPE(INTERFACE, "net.Addr", 16);
static const struct gofield op_fields[] = {
	{ "Op", &t_string, 0 }, { "Net", &t_string, 16 }, { "Source", &i_addr, 32 },
	{ "Addr", &i_addr, 48 }, { "Err", &t_error, 64 },
};

static const struct gotype t_op = TYPE(STRUCT, "net.OpError", 80, FIELDS(op_fields));
static const struct gotype p_op = POINTER_TO("*net.OpError", t_op);
static const struct gotype t_mode = TYPE(UINT, "io/fs.FileMode", 4);

TEST(test_net, "addresses; the errors of package net; file modes")
{
	static const uint8_t ip[] = { 10, 0, 0, 1 }, ip6[16] = { [15] = 1 };
	static const uint8_t mac[] = { 0, 0x1b, 0x21, 0x3c, 0x9d, 0xf8 };
	uint64_t boxed;

	recs_begin();
	recs_itab(0x1000, recs_type(&p_addr, true));
	recs_itab(0x1100, recs_type(&t_errno, false));
	recs_itab(0x1200, recs_type(&p_op, true));
	boxed = recs_type(&t_mac, false);
	recs_put(0x100, ip, 4);
	recs_put(0x110, ip6, 16);
	recs_put(0x700, mac, 6);
	PUT(0x780, 0x700, 6, 8);
	PUT(0x200, 0x100, 4, 4, 8080, 0, 0);
	PUT(0x240, 0x110, 16, 16, 53, 0, 0);
	recs_text(0x300, "dialtcpeth0");
	PUT(0x280, 0x110, 16, 16, 53, 0x307, 4);
	PUT(0x400, 111);
	PUT(0x500, 0x300, 4, 0x304, 3, 0, 0, 0x1000, 0x200, 0x1100, 0x400);
	PUT(0x600, 0x300, 4, 0, 0, 0x1000, 0x200, 0x1000, 0x240, 0x1100, 0x400);
	SAYS(SHOW(&t_ip, 0x100, 4, 4), "10.0.0.1");
	SAYS(SHOW(&t_ip, 0x110, 16, 16), "::1");
	SAYS(SHOW(&t_ip, 0x110, 5, 16), "net.IP{0x00, 0x00, 0x00, 0x00, 0x00}");
	SAYS(SHOW(&t_ip, 0, 0, 0), "nil");
	SAYS(SHOW(&t_mac, 0x700, 6, 8), "00:1b:21:3c:9d:f8");
	SAYS(JSON(&t_mac, 0x700, 6, 8),
	     "'\\u0000\\u001b!<\\udc9d\\udcf8','text':'00:1b:21:3c:9d:f8'");
	SAYS(SHOW(&t_mac, 0x700, 9, 9),
	     "net.HardwareAddr{0x00, 0x1b, 0x21, 0x3c, 0x9d, 0xf8, ...} (len 9)");
	SAYS(SHOW(&t_mac, 0x700, 0, 8), "net.HardwareAddr{}");
	SAYS(SHOW(&t_mac, 0, 0, 0), "nil");
	SAYS(SHOW(&t_any, boxed, 0x780), "net.HardwareAddr(00:1b:21:3c:9d:f8)");
	SAYS(SHOW(&t_error, 0x1200, 0x500),
	     "*net.OpError(\"dial tcp 10.0.0.1:8080: connection refused\", syscall.Errno)");
	SAYS(SHOW(&t_error, 0x1200, 0x600),
	     "*net.OpError(\"dial 10.0.0.1:8080->[::1]:53: connection refused\", syscall.Errno)");
	PUT(0x680, 0x300, 4, 0, 0, 0, 0, 0x1000, 0x280, 0x1100, 0x400);
	SAYS(SHOW(&t_error, 0x1200, 0x680),
	     "*net.OpError(\"dial [::1%eth0]:53: connection refused\", syscall.Errno)");
	SAYS(SHOW(&t_mode, 0755), "-rwxr-xr-x");
	SAYS(SHOW(&t_mode, 1U << 31 | 0700), "drwx------");
}

static const struct gofield u128_fields[] = { { "hi", &t_uint64, 0 }, { "lo", &t_uint64, 8 } };
static const struct gotype t_u128 = TYPE(STRUCT, "net/netip.uint128", 16, FIELDS(u128_fields));
static const struct gofield detail_fields[] = {
	{ "isV6", &t_bool, 0 }, { "zoneV6", &t_string, 8 },
};

static const struct gotype t_detail = TYPE(STRUCT, "net/netip.addrDetail", 24,
					   FIELDS(detail_fields));
static const struct gotype p_detail = POINTER_TO("*net/netip.addrDetail", t_detail);
static const struct gofield handle_fields[] = { { "value", &p_detail, 0 } };
static const struct gotype t_handle = TYPE(STRUCT, "unique.Handle[net/netip.addrDetail]", 8,
					   FIELDS(handle_fields));
static const struct gofield netip_fields[] = { { "addr", &t_u128, 0 }, { "z", &t_handle, 16 } };
static const struct gotype t_netip = TYPE(STRUCT, "net/netip.Addr", 24, FIELDS(netip_fields));
static const struct gotype t_uint16 = TYPE(UINT, "uint16", 2), t_int16 = TYPE(INT, "int16", 2);
static const struct gofield port_fields[] = { { "ip", &t_netip, 0 }, { "port", &t_uint16, 24 } };
static const struct gotype t_port = TYPE(STRUCT, "net/netip.AddrPort", 32, FIELDS(port_fields));
static const struct gofield prefix_fields[] = {
	{ "ip", &t_netip, 0 }, { "bitsPlusOne", &t_uint8, 24 },
};

static const struct gotype t_prefix = TYPE(STRUCT, "net/netip.Prefix", 32, FIELDS(prefix_fields));
/* Until 1.22: an intern.Value, with a zone in an interface, or with nothing in it. */
static const struct gofield intern_fields[] = { { "cmpVal", &t_any, 0 } };
static const struct gotype t_intern = TYPE(STRUCT, "internal/intern.Value", 24,
					   FIELDS(intern_fields));
static const struct gotype p_intern = POINTER_TO("*internal/intern.Value", t_intern);
static const struct gofield netip19_fields[] = { { "addr", &t_u128, 0 }, { "z", &p_intern, 16 } };
static const struct gotype t_netip19 = TYPE(STRUCT, "net/netip.Addr", 24, FIELDS(netip19_fields));
static const struct gofield prefix19_fields[] = {
	{ "ip", &t_netip19, 0 }, { "bits", &t_int16, 24 },
};

static const struct gotype t_prefix19 = TYPE(STRUCT, "net/netip.Prefix", 32,
					     FIELDS(prefix19_fields));

/* Addr, AddrPort and Prefix, each as its String() but for what is not valid. */
TEST(test_netip, "addresses of package netip")
{
	uint64_t string;

	recs_begin();
	string = recs_type(&t_string, false);
	PUT(0x100, 0, 0, 0);		/* version 4 */
	PUT(0x120, 1, 0, 0);		/* 6 */
	PUT(0x140, 1, 0x160, 4);
	recs_text(0x160, "eth0");
	SAYS(SHOW(&t_netip, 0, 0xffff0a000001, 0x100), "10.0.0.1");
	SAYS(SHOW(&t_netip, 0, 0xffff0a000001, 0x120), "::ffff:10.0.0.1");
	SAYS(SHOW(&t_netip, 0, 1, 0x120), "::1");
	/* Not in Go's words "::1.2.3.4". */
	SAYS(SHOW(&t_netip, 0, 0x01020304, 0x120), "::102:304");
	SAYS(SHOW(&t_netip, 0, 0, 0x120), "::");
	SAYS(SHOW(&t_netip, 0x20010db800000000, 0x00010000000000ff, 0x120), "2001:db8::1:0:0:ff");
	SAYS(SHOW(&t_netip, 0x20010db800010002, 0x0003000400050006, 0x120),
	     "2001:db8:1:2:3:4:5:6");
	SAYS(SHOW(&t_netip, 0xfe80000000000000, 0x10, 0x140), "fe80::10%eth0");
	SAYS(SHOW(&t_netip, 0, 0, 0), "netip.Addr{}");
	/* Where the version or the zone is unavailable, text says so, and JSON has none. */
	SAYS(SHOW(&t_netip, 0, 0xffff0a000001, 0x9990), "10.0.0.1 or ::ffff:10.0.0.1");
	SAYS(SHOW(&t_netip, 0, 1, 0x9990), "::1%<beyond --depth>");
	SAYS(JSON(&t_netip, 0, 1, 0x9990),
	     "{'addr':{'hi':0,'lo':1},'z':{'value':'0x9990'}}");
	SAYS(SHOW(&t_port, 0, 0xffff0a000001, 0x9990, 80), "10.0.0.1:80 or [::ffff:10.0.0.1]:80");
	recs_z4 = 0x9990;
	SAYS(SHOW(&t_netip, 0, 0xffff0a000001, 0x9990), "10.0.0.1");
	recs_z4 = 0;
	SAYS(JSON(&t_netip, 0, 1, 0x120),
	     "{'addr':{'hi':0,'lo':1},'z':{'value':{'type':'*net/netip.addrDetail','value':'0x120','to':{'isV6':true,'zoneV6':''}}}},'text':'::1'");
	SAYS(SHOW(&t_port, 0, 0xffff0a000001, 0x100, 80), "10.0.0.1:80");
	SAYS(SHOW(&t_port, 0, 1, 0x120, 80), "[::1]:80");
	SAYS(SHOW(&t_port, 0, 0, 0, 0), "netip.AddrPort{}");
	SAYS(SHOW(&t_prefix, 0, 0xffff0a000000, 0x100, 9), "10.0.0.0/8");
	SAYS(SHOW(&t_prefix, 0, 0, 0, 0), "netip.Prefix{}");
	PUT(0x180, 0, 0, 0);
	PUT(0x1a0, string, 0x1c0, 0);
	PUT(0x1c0, 0x160, 4);
	SAYS(SHOW(&t_netip19, 0, 0xffff0a000001, 0x180), "10.0.0.1 or ::ffff:10.0.0.1");
	recs_z4 = 0x180;
	recs_z6noz = 0x200;
	PUT(0x200, 0, 0, 0);
	SAYS(SHOW(&t_netip19, 0, 0xffff0a000001, 0x180), "10.0.0.1");
	SAYS(SHOW(&t_netip19, 0, 0xffff0a000001, 0x200), "::ffff:10.0.0.1");
	SAYS(SHOW(&t_netip19, 0, 1, 0x180), "::1");
	SAYS(SHOW(&t_netip19, 0xfe80000000000000, 0x10, 0x1a0), "fe80::10%eth0");
	SAYS(SHOW(&t_prefix19, 0, 0xffff0a000000, 0x180, 8), "10.0.0.0/8");
	SAYS(SHOW(&t_prefix19, 0, 0, 0, 0), "netip.Prefix{}");
	recs_z4 = 0;
	recs_z6noz = 0;
}

static const struct gotype t_16 = TYPE(ARRAY, "[16]uint8", 16, .elem = &t_uint8, .count = 16);
static const struct gotype t_uuid = TYPE(ARRAY, "example.com/uuid.UUID", 16, .elem = &t_uint8,
					 .count = 16);
static const struct gotype t_8 = TYPE(ARRAY, "[8]uint8", 8, .elem = &t_uint8, .count = 8);
static const struct gotype t_4 = TYPE(ARRAY, "[4]uint8", 4, .elem = &t_uint8, .count = 4);
static const struct gofield id_fields[] = { { "ID", &t_uuid, 0 }, { "Sum", &t_8, 16 } };
static const struct gotype t_id = TYPE(STRUCT, "main.Request", 24, FIELDS(id_fields));

TEST(test_byte_arrays, "arrays of bytes in hexadecimal, UUIDs")
{
	/* 6ba7b810-9dad-11d1-80b4-00c04fd430c8 */
	const uint64_t low = 0xd111ad9d10b8a76b, high = 0xc830d44fc000b480;

	recs_begin();
	SAYS(SHOW(&t_16, low, high), "[16]byte(6ba7b810-9dad-11d1-80b4-00c04fd430c8)");
	SAYS(SHOW(&t_uuid, low, high), "uuid.UUID(6ba7b810-9dad-11d1-80b4-00c04fd430c8)");
	SAYS(SHOW(&t_16, 1, 2), "[16]byte(0x01000000000000000200000000000000)");
	SAYS(SHOW(&t_8, 0x0807060504030201), "[8]byte(0x0102030405060708)");
	SAYS(SHOW(&t_4, 0x04030201), "[4]byte{1, 2, 3, 4}");
	SAYS(SHOW(&t_id, low, high, 1),
	     "main.Request{ID: 6ba7b810-9dad-11d1-80b4-00c04fd430c8, Sum: 0x0100000000000000}");
	SAYS(JSON(&t_8, 1), "[1,0,0,0,0,0,0,0],'text':'0x0100000000000000'");
}

static const struct gotype t_rtype = TYPE(STRUCT, "reflect.rtype", 48);
static const struct gotype p_rtype = POINTER_TO("*reflect.rtype", t_rtype);
static const struct gotype i_type = TYPE(INTERFACE, "reflect.Type", 16);
static const struct gotype t_abi = TYPE(STRUCT, "internal/abi.Type", 48);
static const struct gotype p_abi = POINTER_TO("*internal/abi.Type", t_abi);
static const struct gofield reflect_fields[] = {
	{ "typ_", &p_abi, 0 }, { "ptr", &t_unsafe, 8 }, { "flag", &t_uint64, 16 },
};

static const struct gotype t_reflect = TYPE(STRUCT, "reflect.Value", 24, FIELDS(reflect_fields));

TEST(test_reflect, "what package reflect holds")
{
	uint64_t id;

	recs_begin();
	id = recs_type(&t_id, false);
	recs_itab(0x1000, recs_type(&p_rtype, true));
	SAYS(SHOW(&i_type, 0x1000, id), "reflect.Type(main.Request)");
	SAYS(SHOW(&i_type, 0, 0), "nil");
	SAYS(JSON(&i_type, 0x1000, id),
	     "{'type':'*reflect.rtype','address':'0x4a0000','value':'0x4a0000','text':'reflect.Type(main.Request)'}");
	SAYS(SHOW(&t_reflect, id, 0xc000012340, 22), "reflect.Value(main.Request, 0xc000012340)");
	SAYS(SHOW(&t_reflect, 0, 0, 0), "reflect.Value{}");
}

static const struct gofield bounds_fields[] = {
	{ "x", &t_int64, 0 }, { "y", &t_int, 8 },
	{ "signed", &t_bool, 16 }, { "code", &t_uint8, 17 },
};

static const struct gotype t_bounds = TYPE(STRUCT, "runtime.boundsError", 24,
					   FIELDS(bounds_fields));
static const struct gofield assertion_fields[] = {
	{ "_interface", &p_abi, 0 }, { "concrete", &p_abi, 8 }, { "asserted", &p_abi, 16 },
	{ "missingMethod", &t_string, 24 },
};

static const struct gotype t_assertion = TYPE(STRUCT, "runtime.TypeAssertionError", 40,
					      FIELDS(assertion_fields));
static const struct gotype t_empty_any = TYPE(INTERFACE, "interface {}", 16, .empty = true);
static const struct gotype t_one = TYPE(STRUCT, "example.com/a.T", 0);
static const struct gotype t_other = TYPE(STRUCT, "example.com/b/a.T", 0);
static const struct gofield address_fields[] = {
	{ "msg", &t_string, 0 }, { "addr", &t_uint64, 16 },
};

static const struct gotype t_address = TYPE(STRUCT, "runtime.errorAddressString", 24,
					    FIELDS(address_fields));
static const struct gotype t_plain = TYPE(STRING, "runtime.plainError", 16);
static const struct gotype t_panic_nil = TYPE(STRUCT, "runtime.PanicNilError", 0);
static const struct gotype p_panic_nil = POINTER_TO("*runtime.PanicNilError", t_panic_nil);

#define BOUNDS(x, y, is_signed, code) \
	SHOW(&t_bounds, x, y, (uint64_t)(is_signed) | (code) << 8)
#define SAYS_BOUNDS(x, y, is_signed, code, words) \
	SAYS(BOUNDS(x, y, is_signed, code), "runtime.boundsError(\"runtime error: " words "\")")

/* The value of a panic has the text that Go prints. */
TEST(test_panics, "panics of the runtime")
{
	uint64_t any, string, number, one, other;

	recs_begin();
	SAYS_BOUNDS(5, 2, 1, 0, "index out of range [5] with length 2");
	SAYS_BOUNDS(-1ULL, 2, 1, 0, "index out of range [-1]");
	SAYS_BOUNDS(-1ULL, 2, 0, 0, "index out of range [18446744073709551615] with length 2");
	SAYS_BOUNDS(5, 2, 1, 1, "slice bounds out of range [:5] with length 2");
	SAYS_BOUNDS(5, 2, 1, 2, "slice bounds out of range [:5] with capacity 2");
	SAYS_BOUNDS(5, 2, 1, 3, "slice bounds out of range [5:2]");
	SAYS_BOUNDS(-5ULL, 2, 1, 3, "slice bounds out of range [-5:]");
	SAYS_BOUNDS(5, 2, 1, 6, "slice bounds out of range [:5:2]");
	SAYS_BOUNDS(5, 2, 1, 7, "slice bounds out of range [5:2:]");
	recs_go(19);
	SAYS_BOUNDS(5, 2, 1, 8, "cannot convert slice with length 2 to pointer to array with length 5");
	recs_go(23);
	SAYS_BOUNDS(5, 2, 1, 8,
		    "cannot convert slice with length 2 to array or pointer to array with length 5");
	SAYS(BOUNDS(5, 2, 1, 9), "runtime.boundsError{x: 5, y: 2, signed: true, code: 9}");
	any = recs_type(&t_empty_any, false);
	string = recs_type(&t_string, false);
	number = recs_type(&t_int, false);
	one = recs_type(&t_one, false);
	other = recs_type(&t_other, false);
	recs_text(0x100, "CloseMessage");
	SAYS(SHOW(&t_assertion, any, string, number, 0, 0),
	     "runtime.TypeAssertionError(\"interface conversion: interface {} is string, not int\")");
	SAYS(SHOW(&t_assertion, any, 0, number, 0, 0),
	     "runtime.TypeAssertionError(\"interface conversion: interface {} is nil, not int\")");
	SAYS(SHOW(&t_assertion, 0, string, one, 0x100, 5),
	     "runtime.TypeAssertionError(\"interface conversion: string is not a.T: missing method Close\")");
	SAYS(SHOW(&t_assertion, any, one, other, 0, 0),
	     "runtime.TypeAssertionError(\"interface conversion: interface {} is a.T, not a.T (types from different packages)\")");
	SAYS(SHOW(&t_assertion, any, one, one, 0, 0),
	     "runtime.TypeAssertionError(\"interface conversion: interface {} is a.T, not a.T (types from different scopes)\")");
	SAYS(SHOW(&t_address, 0x105, 7, 0x18), "runtime.errorAddressString(\"runtime error: Message\")");
	SAYS(SHOW(&t_plain, 0x105, 7), "runtime.plainError(\"Message\")");
	PUT(0x200, 0);
	SAYS(SHOW(&p_panic_nil, 0x200),
	     "*runtime.PanicNilError(\"panic called with nil argument (use GODEBUG=panicnil=1 to disable)\")");
}

static const struct gofield join_fields[] = { { "errs", &t_errors, 0 } };
static const struct gotype t_join = TYPE(STRUCT, "errors.joinError", 24, FIELDS(join_fields));
static const struct gotype p_join = POINTER_TO("*errors.joinError", t_join);
static const struct gofield dns_fields[] = {
	{ "Err", &t_string, 0 }, { "Name", &t_string, 16 }, { "Server", &t_string, 32 },
};

static const struct gotype t_dns = TYPE(STRUCT, "net.DNSError", 48, FIELDS(dns_fields));
static const struct gofield unmarshal_fields[] = {
	{ "Value", &t_string, 0 }, { "Type", &i_type, 16 }, { "Offset", &t_int64, 32 },
	{ "Struct", &t_string, 40 }, { "Field", &t_string, 56 }, { "Err", &t_error, 72 },
};

/* Err since 1.27. */
static const struct gotype t_unmarshal = TYPE(STRUCT, "encoding/json.UnmarshalTypeError", 88,
					      FIELDS(unmarshal_fields));
static const struct gotype t_unmarshal26 = TYPE(STRUCT, "encoding/json.UnmarshalTypeError", 72,
						.fields = unmarshal_fields, .nfields = 5);

/* Errors that say what others say. */
TEST(test_composed, "errors that say what others say")
{
	uint64_t number;

	recs_begin();
	recs_itab(0x1000, recs_type(&p_errstr, true));
	recs_itab(0x1100, recs_type(&p_own, true));
	recs_itab(0x1200, recs_type(&p_rtype, true));
	number = recs_type(&t_int, false);
	recs_text(0x100, "onetwohost127.0.0.53:53Cart.Items.0x");
	PUT(0x200, 0x100, 3, 0x103, 3);
	PUT(0x300, 0x1000, 0x200, 0x1000, 0x210);
	PUT(0x340, 0x1000, 0x200, 0x1100, 0x9990);
	PUT(0x400, 0x300, 2, 2);
	PUT(0x420, 0x340, 2, 2);
	SAYS(SHOW(&p_join, 0x400), "*errors.joinError(\"one\\ntwo\")");
	/* One of them says what only it knows. */
	SAYS(SHOW(&p_join, 0x420),
	     "&errors.joinError{errs: []error{*errors.errorString(\"one\"), (*main.NotFound)(0x9990)}}");
	SAYS(SHOW(&t_dns, 0x100, 3, 0x106, 4, 0, 0), "net.DNSError(\"lookup host: one\")");
	SAYS(SHOW(&t_dns, 0x100, 3, 0x106, 4, 0x10a, 13),
	     "net.DNSError(\"lookup host on 127.0.0.53:53: one\")");
	SAYS(SHOW(&t_unmarshal26, 0x100, 3, 0x1200, number, 0, 0, 0, 0, 0),
	     "json.UnmarshalTypeError(\"json: cannot unmarshal one into Go value of type int\")");
	SAYS(SHOW(&t_unmarshal26, 0x100, 3, 0x1200, number, 0, 0x117, 4, 0x11c, 7),
	     "json.UnmarshalTypeError(\"json: cannot unmarshal one into Go struct field Cart.Items.0 of type int\")");
	SAYS(SHOW(&t_unmarshal, 0x100, 3, 0x1200, number, 0, 0x117, 4, 0x11c, 7, 0, 0),
	     "json.UnmarshalTypeError(\"json: cannot unmarshal one into Cart.Items.0 of type int\")");
	SAYS(SHOW(&t_unmarshal, 0x100, 3, 0x1200, number, 0, 0x117, 4, 0x11c, 5, 0x1000, 0x210),
	     "json.UnmarshalTypeError(\"json: cannot unmarshal one into Go struct field Cart.Items of type int: two\")");
}

static const struct gotype i_context = TYPE(INTERFACE, "context.Context", 16);
static const struct gofield background_fields[] = { { "emptyCtx", &t_int, 0, true } };
static const struct gotype t_background = TYPE(STRUCT, "context.backgroundCtx", 0,
					       .fields = background_fields);
static const struct gofield cancel_fields[] = {
	{ "Context", &i_context, 0, true }, { "mu", &t_uint64, 16 }, { "err", &t_error, 24 },
};

static const struct gotype t_cancel = TYPE(STRUCT, "context.cancelCtx", 40,
					   FIELDS(cancel_fields));
static const struct gotype p_cancel = POINTER_TO("*context.cancelCtx", t_cancel);
static const struct gofield timer_fields[] = {
	{ "cancelCtx", &t_cancel, 0, true }, { "timer", &t_unsafe, 40 },
	{ "deadline", &t_time, 48 },
};

static const struct gotype t_timer = TYPE(STRUCT, "context.timerCtx", 72, FIELDS(timer_fields));
static const struct gotype p_timer = POINTER_TO("*context.timerCtx", t_timer);
static const struct gofield value_fields[] = {
	{ "Context", &i_context, 0, true }, { "key", &t_any, 16 }, { "val", &t_any, 32 },
};

static const struct gotype t_valuectx = TYPE(STRUCT, "context.valueCtx", 48, FIELDS(value_fields));
static const struct gotype p_valuectx = POINTER_TO("*context.valueCtx", t_valuectx);

static const struct gofield cause_fields[] = {
	{ "Context", &i_context, 0, true }, { "mu", &t_uint64, 16 }, { "err", &t_error, 24 },
	{ "cause", &t_error, 40 },
};

static const struct gotype t_cause = TYPE(STRUCT, "context.cancelCtx", 56, FIELDS(cause_fields));
static const struct gotype p_cause = POINTER_TO("*context.cancelCtx", t_cause);

TEST(test_contexts, "contexts: values, deadline and cause")
{
	uint64_t string;

	recs_begin();
	recs_itab(0x1000, recs_type(&t_background, false));
	recs_itab(0x1100, recs_type(&p_cancel, true));
	recs_itab(0x1200, recs_type(&p_timer, true));
	recs_itab(0x1300, recs_type(&p_valuectx, true));
	recs_itab(0x1400, recs_type(&p_errstr, true));
	string = recs_type(&t_string, false);
	PUT(0x100, 0x1000, 0x99, 0, 0, 0);
	PUT(0x200, 0x1100, 0x100, string, 0x300, string, 0x310);
	PUT(0x300, 0x320, 4, 0x324, 3);
	recs_text(0x320, "userbobcontext canceled");
	PUT(0x400, 0x1300, 0x200, 0, 0x1400, 0x500, 0, 0, 62135596800, 0);
	PUT(0x500, 0x327, 16);
	SAYS(SHOW(&i_context, 0x1000, 0x99), "context.Background");
	SAYS(SHOW(&i_context, 0x1100, 0x100), "ctx{}");
	SAYS(SHOW(&i_context, 0x1300, 0x200),
	     "ctx{user: \"bob\"}");
	SAYS(SHOW(&i_context, 0x1200, 0x400),
	     "ctx{deadline 1970-01-01T00:00:00Z, context canceled, user: \"bob\"}");
	/* Its words are the program's: what a terminal would obey is quoted. */
	recs_text(0x347, "\x1b[2J");
	PUT(0x500, 0x347, 4);
	SAYS(SHOW(&i_context, 0x1200, 0x400),
	     "ctx{deadline 1970-01-01T00:00:00Z, \"\\x1b[2J\", user: \"bob\"}");
	PUT(0x500, 0x347, 0);
	SAYS(SHOW(&i_context, 0x1200, 0x400),
	     "ctx{deadline 1970-01-01T00:00:00Z, canceled, user: \"bob\"}");
	/* With a cause of its own; until 1.19 there was none. */
	PUT(0x500, 0x327, 16, 0x324, 3);
	PUT(0x540, 0x1000, 0x99, 0, 0x1400, 0x500, 0x1400, 0x500);
	PUT(0x5a0, 0x1000, 0x99, 0, 0x1400, 0x500, 0x1400, 0x510);
	SAYS(SHOW(&p_cause, 0x540), "ctx{context canceled}");
	SAYS(SHOW(&p_cause, 0x5a0), "ctx{context canceled: bob}");
	/* The chain ends where the capture does. */
	PUT(0x600, 0x1100, 0x9990, 0, 0, 0);
	SAYS(SHOW(&i_context, 0x1100, 0x600), "ctx{in (*context.cancelCtx)(0x9990)}");
	/* A circle. */
	PUT(0x700, 0x1100, 0x700, 0, 0, 0);
	SAYS(SHOW(&i_context, 0x1100, 0x700), "ctx{...}");
	/* A deadline within a day is what is left until then. */
	recs_ctx.now = 1200000000;
	PUT(0x800, 0x1000, 0x99, 0, 0, 0, 0, 0, 62135596800 + 4, 150000000);
	SAYS(SHOW(&i_context, 0x1200, 0x800), "ctx{deadline 2.8s}");
	PUT(0x800, 0x1000, 0x99, 0, 0, 0, 0, 0, 62135596800 + 1, 0);
	SAYS(SHOW(&i_context, 0x1200, 0x800), "ctx{deadline -200ms}");
	PUT(0x800, 0x1000, 0x99, 0, 0, 0, 0, 0, 62135596800 + 172800, 0);
	SAYS(SHOW(&i_context, 0x1200, 0x800), "ctx{deadline 1970-01-03T00:00:00Z}");
	recs_ctx.now = 0;
}

static const struct gofield mutex_fields[] = { { "state", &t_int32, 0 }, { "sema", &t_uint32, 4 } };
static const struct gotype t_mutex = TYPE(STRUCT, "sync.Mutex", 8, FIELDS(mutex_fields));
static const struct gotype t_inner = TYPE(STRUCT, "internal/sync.Mutex", 8, FIELDS(mutex_fields));
static const struct gofield new_fields[] = { { "mu", &t_inner, 0 } };
static const struct gotype t_new_mutex = TYPE(STRUCT, "sync.Mutex", 8, FIELDS(new_fields));
static const struct gofield v32_fields[] = { { "v", &t_int32, 0 } };
static const struct gotype t_int32_atomic = TYPE(STRUCT, "sync/atomic.Int32", 4,
						 FIELDS(v32_fields));
static const struct gofield rw_fields[] = {
	{ "readerCount", &t_int32_atomic, 0 }, { "readerWait", &t_int32_atomic, 4 },
};

static const struct gotype t_rw = TYPE(STRUCT, "sync.RWMutex", 8, FIELDS(rw_fields));
static const struct gofield v64_fields[] = { { "v", &t_uint64, 0 } };
static const struct gotype t_uint64_atomic = TYPE(STRUCT, "sync/atomic.Uint64", 8,
						  FIELDS(v64_fields));
static const struct gofield wg_fields[] = { { "state", &t_uint64_atomic, 0 } };
static const struct gotype t_wg = TYPE(STRUCT, "sync.WaitGroup", 8, FIELDS(wg_fields));
static const struct gotype t_words = TYPE(ARRAY, "[3]uint32", 12, .elem = &t_uint32, .count = 3);
static const struct gofield wg17_fields[] = { { "state1", &t_words, 0 } };
static const struct gotype t_wg17 = TYPE(STRUCT, "sync.WaitGroup", 12, FIELDS(wg17_fields));
static const struct gotype p_wg17 = POINTER_TO("*sync.WaitGroup", t_wg17);
static const struct gofield once_fields[] = { { "done", &t_int32_atomic, 0 } };
static const struct gotype t_once = TYPE(STRUCT, "sync.Once", 8, FIELDS(once_fields));
static const struct gofield bool_fields[] = { { "v", &t_uint32, 0 } };
static const struct gotype t_atomic_bool = TYPE(STRUCT, "sync/atomic.Bool", 8,
						FIELDS(bool_fields));
static const struct gofield any_fields[] = { { "v", &t_any, 0 } };
static const struct gotype t_atomic_value = TYPE(STRUCT, "sync/atomic.Value", 16,
						 FIELDS(any_fields));
static const struct gotype p_int = POINTER_TO("*int", t_int);
static const struct gotype t_hint = TYPE(ARRAY, "[0]*int", 0, .elem = &p_int);
static const struct gofield pointer_fields[] = { { "_", &t_hint, 0 }, { "v", &t_unsafe, 0 } };
static const struct gotype t_atomic_pointer = TYPE(STRUCT, "sync/atomic.Pointer[int]", 8,
						   FIELDS(pointer_fields));
static const struct gofield weak_fields[] = { { "_", &t_hint, 0 }, { "u", &t_unsafe, 0 } };
static const struct gotype t_weak = TYPE(STRUCT, "weak.Pointer[int]", 8, FIELDS(weak_fields));
static const struct gotype t_mutexes = TYPE(ARRAY, "[2]sync.Mutex", 16, .elem = &t_mutex,
					    .count = 2);
static const struct gofield guarded_fields[] = {
	{ "mu", &t_mutex, 0 }, { "n", &t_uint64_atomic, 8 }, { "on", &t_atomic_bool, 16 },
};

static const struct gotype t_guarded = TYPE(STRUCT, "main.Guarded", 24, FIELDS(guarded_fields));
/* Somebody else's, of that name. */
static const struct gotype t_false_mutex = TYPE(STRUCT, "example.com/sync.Mutex", 8,
						FIELDS(v64_fields));

#define PAIR(low, high) ((uint64_t)(uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32)

TEST(test_locks, "locks and atomics: their state, if they have the expected shape")
{
	uint64_t integer;

	recs_begin();
	integer = recs_type(&t_int, false);
	PUT(0x100, 7);
	SAYS(SHOW(&t_mutex, 0), "sync.Mutex{unlocked}");
	SAYS(SHOW(&t_mutex, 1), "sync.Mutex{locked}");
	SAYS(SHOW(&t_mutex, 1 | 4 | 3 << 3), "sync.Mutex{locked, 3 waiting, starving}");
	SAYS(SHOW(&t_new_mutex, 1), "sync.Mutex{locked}");
	SAYS(JSON(&t_mutex, 1), "{'state':1,'sema':0}");
	SAYS(SHOW(&t_mutexes, 0, 1), "[2]sync.Mutex{{unlocked}, {locked}}");
	SAYS(SHOW(&t_false_mutex, 1), "sync.Mutex{v: 1}");
	SAYS(SHOW(&t_rw, 0), "sync.RWMutex{unlocked}");
	SAYS(SHOW(&t_rw, PAIR(2, 0)), "sync.RWMutex{2 readers}");
	SAYS(SHOW(&t_rw, PAIR(-(1 << 30), 0)), "sync.RWMutex{locked}");
	SAYS(SHOW(&t_rw, PAIR(3 - (1 << 30), 0)), "sync.RWMutex{locked, 3 readers waiting}");
	SAYS(SHOW(&t_rw, PAIR(3 - (1 << 30), 2)),
	     "sync.RWMutex{2 readers, a writer waiting, 1 reader waiting}");
	SAYS(SHOW(&t_wg, PAIR(1, 3)), "sync.WaitGroup{counter: 3, 1 waiting}");
	SAYS(SHOW(&t_wg, PAIR(1U << 31, 0)), "sync.WaitGroup{counter: 0}");
	/* Where the state is depends on the address, and without one it is not known. */
	PUT(0x200, PAIR(1, 3), 9);
	PUT(0x304, PAIR(9, 1), 3);
	SAYS(SHOW(&p_wg17, 0x200), "&sync.WaitGroup{counter: 3, 1 waiting}");
	SAYS(SHOW(&p_wg17, 0x304), "&sync.WaitGroup{counter: 3, 1 waiting}");
	SAYS(SHOW(&t_wg17, PAIR(1, 3), 0), "sync.WaitGroup{state1: [3]uint32{1, 3, 0}}");
	SAYS(SHOW(&t_once, 0), "sync.Once{not done}");
	SAYS(SHOW(&t_once, 1), "sync.Once{done}");
	SAYS(SHOW(&t_uint64_atomic, 5), "atomic.Uint64(5)");
	SAYS(SHOW(&t_atomic_bool, 1), "atomic.Bool(true)");
	SAYS(SHOW(&t_atomic_value, integer, 0x100), "atomic.Value(7)");
	SAYS(SHOW(&t_atomic_pointer, 0x100), "atomic.Pointer[int](&7)");
	PUT(0x400, 0x100);
	PUT(0x408, 0);
	SAYS(SHOW(&t_weak, 0x400), "weak.Pointer[int](&7)");
	SAYS(SHOW(&t_weak, 0x408), "weak.Pointer[int](dead)");
	SAYS(SHOW(&t_weak, 0), "weak.Pointer[int](nil)");
	SAYS(JSON(&t_weak, 0x400), "{'u':'0x400'},'text':'live'");
	SAYS(JSON(&t_weak, 0x408), "{'u':'0x408'},'text':'dead'");
	/* The word was not read. */
	SAYS(SHOW(&t_weak, 0x9000), "weak.Pointer[int]{u: unsafe.Pointer(0x9000)}");
	SAYS(SHOW(&t_guarded, 1, 5, 1), "main.Guarded{mu: sync.Mutex{locked}, n: 5, on: true}");
}

static const struct gofield root_fields[] = { { "_", &t_hint, 0 }, { "v", &t_unsafe, 0 } };
static const struct gotype t_root = TYPE(STRUCT, "sync/atomic.Pointer[internal/sync.indirect]", 8,
					 FIELDS(root_fields));
static const struct gofield trie_fields[] = { { "inited", &t_uint32, 0 }, { "root", &t_root, 8 } };
static const struct gotype t_trie =
	TYPE(STRUCT, "internal/sync.HashTrieMap[interface {},interface {}]", 16,
	     FIELDS(trie_fields));
static const struct gofield sync_fields[] = { { "m", &t_trie, 0 } };
static const struct gotype t_sync_map = TYPE(STRUCT, "sync.Map", 16, FIELDS(sync_fields));
static const struct gofield old_fields[] = { { "misses", &t_int, 0 } };
static const struct gotype t_old_map = TYPE(STRUCT, "sync.Map", 8, FIELDS(old_fields));
static const struct gotype p_sync_map = POINTER_TO("*sync.Map", t_sync_map);

/* An inner node with these three children. */
#define INNER(address, a, b, c) \
	PUT(address, 0, 0, 0, a, 0, 0, b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, c)
/* An entry that stands before another object. */
#define ENTRY(address, overflow, type, key, value) \
	PUT(address, 1, overflow, type, key, type, value, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)

TEST(test_sync_map, "the entries of a sync.Map")
{
	uint64_t integer;

	recs_begin();
	recs_go(24);
	integer = recs_type(&t_int, false);
	for (uint64_t i = 1; i < 8; i++)
		PUT(i * 8, i);
	SAYS(SHOW(&t_sync_map, 0, 0), "sync.Map{}");
	SAYS(JSON(&t_sync_map, 0, 0), "{'entries':[]}");
	/* Entries at two levels, and one with the hash of another. */
	INNER(0x1000, 0x2000, 0x3000, 0x1100);
	INNER(0x1100, 0, 0, 0x2200);
	ENTRY(0x2000, 0, integer, 24, 8);
	ENTRY(0x3000, 0x2100, integer, 16, 8);
	ENTRY(0x2100, 0, integer, 8, 48);
	ENTRY(0x2200, 0, integer, 32, 56);
	SAYS(SHOW(&t_sync_map, 1, 0x1000), "sync.Map{1: 6, 2: 1, 3: 1, 4: 7}");
	/* The last bytes of an entry are the next object's, which may be absent. */
	PUT(0x4000, 1, 0, integer, 24, integer, 8);
	INNER(0x1200, 0x4000, 0, 0);
	SAYS(SHOW(&t_sync_map, 1, 0x1200), "sync.Map{3: 1}");
	/* A node that was not copied; a circle; a node that is neither. */
	INNER(0x1300, 0x4000, 0x5000, 0);
	SAYS(SHOW(&t_sync_map, 1, 0x1300), "sync.Map{3: 1, ...<beyond --depth>}");
	SAYS(JSON(&t_sync_map, 1, 0x1300),
	     "{'entries':[{'key':{'type':'int','address':'0x18','value':3},'value':{'type':'int','address':'0x8','value':1}}],'truncated':true,'reason':'beyond --depth'}");
	INNER(0x1400, 0x1400, 0, 0);
	SAYS(SHOW(&t_sync_map, 1, 0x1400), "sync.Map{...<changed while it was read>}");
	ENTRY(0x6000, 0x6000, integer, 24, 8);
	INNER(0x1500, 0x6000, 0, 0);
	assert_non_null(strstr(SHOW(&t_sync_map, 1, 0x1500), ", 3: 1, ...<"));
	PUT(0x7000, 0x77, 0, integer, 24, integer, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	INNER(0x1600, 0x7000, 0, 0);
	SAYS(SHOW(&t_sync_map, 1, 0x1600), "sync.Map{...<changed while it was read>}");
	PUT(0x100, 1, 0x1200);
	SAYS(SHOW(&p_sync_map, 0x100), "&sync.Map{3: 1}");
	/* Until 1.23. */
	SAYS(SHOW(&t_old_map, 7), "sync.Map{misses: 7}");
}

TEST(test_names, "names without the paths of packages")
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "example.com/shop.Cart", "shop.Cart{}" },
		{ "example.com/shop/v2.Cart", "shop.Cart{}" },
		{ "v2.Cart", "v2.Cart{}" },
		{ "gopkg.in/yaml%2ev3.Node", "yaml.Node{}" },
		{ "example.com/a%2eb.T", "a.b.T{}" },
		{ "main.Inner\302\2671", "main.Inner{}" },
		{ "[]example.com/shop.Inner\302\26712", "[]shop.Inner{}" },
		{ "main.Pair[example.com/a.T,[]example.com/b.U]", "main.Pair[a.T,[]b.U]{}" },
		{ "struct { A map[string]interface {} \"json:\\\"a/b\\\"\"; B []uint8 }",
		  "struct { A map[string]any \"json:\\\"a/b\\\"\"; B []byte }{}" },
		{ "", "?{}" },
	};

	recs_begin();
	for (size_t i = 0; i < N(rows); i++)
		SAYS(SHOW(&(struct gotype)TYPE(STRUCT, rows[i].name, 0), 0), rows[i].text);
}

static const struct gofield line_fields[] = { { "SKU", &t_string, 0 }, { "Qty", &t_int, 16 } };
static const struct gotype t_line = TYPE(STRUCT, "shop.Line", 24, FIELDS(line_fields));
static const struct gotype t_lines = TYPE(SLICE, "[]shop.Line", 24, .elem = &t_line);
static const struct gofield cart_fields[] = {
	{ "Owner", &t_string, 0 }, { "Lines", &t_lines, 16 }, { "Sizes", &t_ints, 40 },
};

static const struct gotype t_cart = TYPE(STRUCT, "shop.Cart", 64, FIELDS(cart_fields));
static const struct gotype p_cart = POINTER_TO("*shop.Cart", t_cart);

TEST(test_lines, "text in lines")
{
	recs_begin();
	PUT(0x100, 0x200, 5, 0x300, 2, 2, 0x400, 12, 12);
	recs_text(0x200, "alicesome stock-keeping unit");
	PUT(0x300, 0x205, 23, 1, 0x205, 4, 2);
	PUT(0x400, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	recs_ctx.width = 200;
	SAYS(SHOW(&p_cart, 0x100),
	     "&shop.Cart{Owner: \"alice\", Lines: []shop.Line{{SKU: \"some stock-keeping unit\", Qty: 1}, {SKU: \"some\", Qty: 2}}, Sizes: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}");
	recs_ctx.width = 44;
	SAYS(SHOW(&p_cart, 0x100),
	     "&shop.Cart{\n"
	     "    Owner: \"alice\",\n"
	     "    Lines: []shop.Line{\n"
	     "        {\n"
	     "            SKU: \"some stock-keeping unit\",\n"
	     "            Qty: 1,\n"
	     "        },\n"
	     "        {SKU: \"some\", Qty: 2},\n"
	     "    },\n"
	     "    Sizes: []int{\n"
	     "        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,\n"
	     "        12,\n"
	     "    },\n"
	     "}");
}

TEST(test_no_zero, "fields that are zero are left out on request")
{
	recs_begin();
	PUT(0x100, 0, 0, 0x300, 2, 2, 0, 0, 0);
	PUT(0x300, 0, 0, 1, 0, 0, 0);
	SAYS(SHOW(&p_cart, 0x100),
	     "&shop.Cart{Owner: \"\", Lines: []shop.Line{{SKU: \"\", Qty: 1}, {SKU: \"\", Qty: 0}}, Sizes: nil}");
	recs_ctx.no_zero = true;
	SAYS(SHOW(&p_cart, 0x100), "&shop.Cart{Lines: []shop.Line{{Qty: 1}, {}}}");
	recs_ctx.no_zero = false;
}
