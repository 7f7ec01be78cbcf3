// SPDX-License-Identifier: GPL-2.0
/* Values behind pointers, interfaces, maps, channels and functions. */
#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal

static const struct gofield item_fields[] = {
	{ "ID", &t_int, 0 }, { "Name", &t_string, 8 },
};

static const struct gotype t_item = TYPE(STRUCT, "example.com/shop.Item", 24, FIELDS(item_fields));
static const struct gotype p_item = TYPE(POINTER, "*example.com/shop.Item", 8, .elem = &t_item);
static const struct gotype pp_item = TYPE(POINTER, "**example.com/shop.Item", 8, .elem = &p_item);
static const struct gotype items = TYPE(SLICE, "[]*example.com/shop.Item", 24, .elem = &p_item);

static const struct gotype p_node;
static const struct gofield node_fields[] = { { "V", &t_int, 0 }, { "Next", &p_node, 8 } };
static const struct gotype t_node = TYPE(STRUCT, "main.Node", 16, FIELDS(node_fields));
static const struct gotype p_node = TYPE(POINTER, "*main.Node", 8, .elem = &t_node);

static const struct gotype t_code = TYPE(INT, "main.Code", 8);
static const struct gotype p_int = TYPE(POINTER, "*int", 8, .elem = &t_int);
static const struct gotype p_code = TYPE(POINTER, "*main.Code", 8, .elem = &t_code);
static const struct gotype p_string = TYPE(POINTER, "*string", 8, .elem = &t_string);
static const struct gotype p_ints = TYPE(POINTER, "*[]int", 8, .elem = &t_ints);
static const struct gotype t_empty = TYPE(STRUCT, "struct {}", 0);
static const struct gotype p_empty = TYPE(POINTER, "*struct {}", 8, .elem = &t_empty);
static const struct gotype t_int32s = TYPE(INT, "int32", 4);
static const struct gotype t_uintptr = TYPE(UINT, "uintptr", 8);

TEST(test_pointers, "pointers are followed")
{
	recs_begin();
	PUT(0x100, 7, 0x200, 5);
	recs_text(0x200, "hello");
	PUT(0x300, 0x100);
	PUT(0x400, 0x200, 5);
	PUT(0x500, 0x600, 2, 2);
	PUT(0x600, 1, 2);
	SAYS(SHOW(&p_item, 0x100), "&shop.Item{ID: 7, Name: \"hello\"}");
	SAYS(JSON(&p_item, 0x100), "'0x100','to':{'ID':7,'Name':'hello'}");
	SAYS(SHOW(&pp_item, 0x300), "&&shop.Item{ID: 7, Name: \"hello\"}");
	SAYS(JSON(&pp_item, 0x300),
	     "'0x300','to':{'type':'*example.com/shop.Item','value':'0x100','to':{'ID':7,'Name':'hello'}}");
	SAYS(SHOW(&p_string, 0x400), "&\"hello\"");
	SAYS(JSON(&p_string, 0x400), "'0x400','to':'hello'");
	SAYS(SHOW(&p_int, 0x100), "&7");
	SAYS(SHOW(&p_code, 0x100), "&main.Code(7)");
	SAYS(SHOW(&p_ints, 0x500), "&[]int{1, 2}");
	SAYS(SHOW(&p_empty, 0x9999), "&struct {}{}");
	SAYS(SHOW(&t_uintptr, 0xc000), "0xc000");
}

TEST(test_not_followed, "what was beyond --depth keeps its address, and a reason if there is one")
{
	recs_begin();
	PUT(0x100, 7);			/* of 24 bytes */
	recs_missing(0x200, 1, GOPROBE_CHUNK_FAULT);
	SAYS(SHOW(&p_item, 0xc000012340), "(*shop.Item)(0xc000012340)");
	SAYS(JSON(&p_item, 0xc000012340), "'0xc000012340'");
	SAYS(SHOW(&p_item, 0x100), "(*shop.Item)(0x100)<cut at a limit>");
	SAYS(JSON(&p_item, 0x100),
	     "'0x100','to':{'type':'example.com/shop.Item','unavailable':'cut at a limit'}");
	SAYS(SHOW(&p_item, 0x200), "(*shop.Item)(0x200)<no readable memory>");
	SAYS(SHOW(&p_item, 0), "nil");
	/* The beginning was readable. */
	PUT(0x300, 1, 2);
	recs_record.chunks[recs_record.nchunks - 1].status = GOPROBE_CHUNK_FAULT;
	SAYS(SHOW(&t_ints, 0x300, 9, 9), "[]int{1, 2, ...<no readable memory>} (len 9)");
	SAYS(JSON(&t_ints, 0x300, 9, 9),
	     "[1,2],'truncated':true,'reason':'no readable memory','len':9");
	assert_non_null(strstr(SHOW(&t_bytes, 0x300, 99, 99),
			       ", 0x00, ...<no readable memory>} (len 99)"));
	recs_record.h.flags = GOPROBE_RECORD_F_BUDGET;
	SAYS(SHOW(&p_item, 0xc000012340), "(*shop.Item)(0xc000012340)<record is full>");
}

TEST(test_inside, "a pointer into what was captured finds its bytes")
{
	recs_begin();
	PUT(0x100, 1, 2, 3, 0x200, 5);
	recs_text(0x200, "hello, world");
	/* A pointer into the middle of what was captured; a part of a string. */
	SAYS(SHOW(&p_int, 0x110), "&3");
	SAYS(SHOW(&p_string, 0x118), "&\"hello\"");
	SAYS(SHOW(&t_string, 0x207, 5), "\"world\"");
	SAYS(SHOW(&t_string, 0x20a, 5), "\"ld\"... (len 5)");
	SAYS(SHOW(&t_ints, 0x108, 2, 2), "[]int{2, 3}");
	/* Of chunks that overlap the one that goes on longest counts. */
	PUT(0xf8, 0, 1, 2, 3, 0x200, 5, 6);
	PUT(0x108, 2);
	SAYS(SHOW(&p_int, 0x128), "&6");
	SAYS(SHOW(&p_int, 0x108), "&2");
}

TEST(test_lists_of_pointers, "pointers in lists leave out their type")
{
	recs_begin();
	PUT(0x100, 7, 0, 0);
	PUT(0x200, 0x100, 0x100, 0, 0x300);
	SAYS(SHOW(&items, 0x200, 4, 4),
	     "[]*shop.Item{&{ID: 7, Name: \"\"}, &{ID: 7, Name: \"\"}, nil, (*shop.Item)(0x300)}");
	SAYS(JSON(&items, 0x200, 4, 4),
	     "[{'type':'*example.com/shop.Item','value':'0x100','to':{'ID':7,'Name':''}},{'type':'*example.com/shop.Item','value':'0x100','to':{'ID':7,'Name':''}},null,'0x300']");
}

TEST(test_cycles, "a cycle ends with an address")
{
	recs_begin();
	PUT(0x100, 1, 0x200);
	PUT(0x200, 2, 0x100);
	SAYS(SHOW(&p_node, 0x100),
	     "&main.Node{V: 1, Next: &main.Node{V: 2, Next: (*main.Node)(0x100)}}");
	SAYS(JSON(&p_node, 0x100),
	     "'0x100','to':{'V':1,'Next':{'type':'*main.Node','value':'0x200','to':{'V':2,'Next':'0x100'}}}");
}

static const struct gotype p_item_dyn = TYPE(POINTER, "*shop.Item", 8, .elem = &t_item);
static const struct gotype t_stringer = TYPE(INTERFACE, "fmt.Stringer", 16);

TEST(test_interfaces, "interfaces show what they hold, with its type")
{
	uint64_t pointer, integer, code, string, item, small, later, nil;

	recs_begin();
	pointer = recs_type(&p_item_dyn, true);
	integer = recs_type(&t_int, false);
	code = recs_type(&t_code, false);
	string = recs_type(&t_string, false);
	item = recs_type(&t_item, false);
	small = recs_type(&t_int32s, false);
	nil = recs_type(&t_ints, false);
	later = recs_type(&(struct gotype)TYPE(UNKNOWN, "main.Later", 8), false);
	PUT(0x100, 7, 0x200, 5);
	recs_text(0x200, "hello");
	PUT(0x300, 0x200, 5);
	recs_itab(0x400, pointer);
	PUT(0x500, 0, 0, 0);
	SAYS(SHOW(&t_any, pointer, 0x100), "&shop.Item{ID: 7, Name: \"hello\"}");
	SAYS(JSON(&t_any, pointer, 0x100),
	     "{'type':'*shop.Item','address':'0x100','value':'0x100','to':{'ID':7,'Name':'hello'}}");
	SAYS(SHOW(&t_stringer, 0x400, 0x100), "&shop.Item{ID: 7, Name: \"hello\"}");
	SAYS(SHOW(&t_any, integer, 0x100), "7");
	SAYS(JSON(&t_any, integer, 0x100), "{'type':'int','address':'0x100','value':7}");
	SAYS(SHOW(&t_any, code, 0x100), "main.Code(7)");
	SAYS(SHOW(&t_any, small, 0x100), "int32(7)");
	SAYS(SHOW(&t_any, string, 0x300), "\"hello\"");
	SAYS(SHOW(&t_any, item, 0x100), "shop.Item{ID: 7, Name: \"hello\"}");
	/* A nil pointer in an interface is no nil interface. */
	SAYS(SHOW(&t_any, pointer, 0), "(*shop.Item)(nil)");
	SAYS(SHOW(&t_any, nil, 0x500), "[]int(nil)");
	SAYS(SHOW(&t_any, 0, 0), "nil");
	SAYS(SHOW(&t_any, pointer, 0x9000), "(*shop.Item)(0x9000)");
	SAYS(SHOW(&t_any, integer, 0x9000), "int(<beyond --depth>)");
	SAYS(JSON(&t_any, integer, 0x9000),
	     "{'type':'int','address':'0x9000','unavailable':'beyond --depth'}");
	SAYS(SHOW(&t_stringer, 0x700, 0x100), "fmt.Stringer(beyond --depth, 0x100)");
	SAYS(SHOW(&t_any, 0x123, 0x100), "any(type 0x123, 0x100)");
	SAYS(SHOW(&t_any, later, 0x100), "<unknown type>");
}

TEST(test_functions, "functions go by their names, with what they captured")
{
	static const struct gofield captured[] = {
		{ "F", &t_uint64, 0 }, { "n", &t_int, 8 }, { "&sum", &p_int, 16 },
	};
	static const struct gotype closure = TYPE(STRUCT, "main.main.func1", 24, FIELDS(captured));
	static const struct gotype partly = { .kind = GOTYPE_STRUCT, .name = "main.main.func2",
		.size = 16, .align = 8, .fields = captured, .nfields = 2, .more = true };
	static const struct gotype unknown = { .kind = GOTYPE_STRUCT, .name = "main.main.func3",
		.size = 8, .align = 8, .fields = captured, .nfields = 1, .more = true };
	static const struct gotype t_func = TYPE(FUNC, "func(int) int", 8);
	static const struct gotype t_fns = TYPE(SLICE, "[]func(int) int", 24, .elem = &t_func);
	static const struct gotype t_no_bytes = TYPE(ARRAY, "[0]uint8", 0, .elem = &t_uint8);
	static const struct gotype t_c_func = TYPE(POINTER, "*[0]uint8", 8, .elem = &t_no_bytes);
	static const struct gotype t_pointers = TYPE(SLICE, "[]unsafe.Pointer", 24,
						     .elem = &t_unsafe);

	recs_begin();
	recs_func(0x401000, "example.com/shop.(*Cart).Add", NULL);
	recs_func(0x402000, "main.main.func1", &closure);
	recs_func(0x402800, "main.main.func2", &partly);
	recs_func(0x402c00, "main.main.func3", &unknown);
	PUT(0x100, 0x401000);
	PUT(0x200, 0x402000, 3, 0x300);
	PUT(0x300, 42);
	PUT(0x400, 0x402000);
	PUT(0x500, 0x403000);
	PUT(0x600, 0x100, 0);
	PUT(0x800, 0x100, 0x401000);
	PUT(0x900, 0x402800, 5);
	PUT(0xa00, 0x402c00);
	SAYS(SHOW(&t_func, 0x100), "shop.(*Cart).Add");
	SAYS(JSON(&t_func, 0x100),
	     "{'type':'func(int) int','address':'0x100','func':'example.com/shop.(*Cart).Add'}");
	SAYS(SHOW(&t_func, 0x200), "main.main.func1{n: 3, sum: 42}");
	SAYS(JSON(&t_func, 0x200),
	     "{'type':'func(int) int','address':'0x200','func':'main.main.func1','captured':{'n':3,'&sum':{'type':'*int','value':'0x300','to':42}}}");
	SAYS(SHOW(&t_func, 0x900), "main.main.func2{n: 5, ...}");
	SAYS(JSON(&t_func, 0x900),
	     "{'type':'func(int) int','address':'0x900','func':'main.main.func2','captured':{'n':5},'more_captured':true}");
	SAYS(SHOW(&t_func, 0xa00), "main.main.func3{...}");
	/* Its code alone was captured. */
	SAYS(SHOW(&t_func, 0x400), "main.main.func1");
	SAYS(SHOW(&t_func, 0x500), "(func(int) int)(0x500)<unknown function>");
	SAYS(SHOW(&t_func, 0x700), "(func(int) int)(0x700)");
	SAYS(SHOW(&t_func, 0), "nil");
	SAYS(SHOW(&t_fns, 0x600, 2, 2), "[]func(int) int{shop.(*Cart).Add, nil}");
	/* The address of code, not of a closure: what cgo gives C's functions as. */
	SAYS(SHOW(&t_unsafe, 0x401000), "unsafe.Pointer(0x401000 shop.(*Cart).Add)");
	SAYS(JSON(&t_unsafe, 0x401000),
	     "'0x401000','func':'example.com/shop.(*Cart).Add'");
	SAYS(SHOW(&t_c_func, 0x401000), "(*[0]byte)(0x401000 shop.(*Cart).Add)");
	SAYS(JSON(&t_c_func, 0x401000),
	     "'0x401000','to':[],'func':'example.com/shop.(*Cart).Add'");
	SAYS(SHOW(&t_c_func, 0x401001), "(*[0]byte)(0x401001)");
	SAYS(SHOW(&t_c_func, 0), "nil");
	SAYS(SHOW(&t_unsafe, 0x401001), "unsafe.Pointer(0x401001)");
	SAYS(JSON(&t_unsafe, 0x401001), "'0x401001'");
	SAYS(JSON(&t_pointers, 0x800, 2, 2),
	     "['0x100',{'type':'unsafe.Pointer','value':'0x401000','func':'example.com/shop.(*Cart).Add'}]");
}

/* Without waiting goroutines. */
static void put_chan(uint64_t address, uint64_t count, uint64_t size, uint64_t buf, uint64_t recvx)
{
	PUT(address, count, size, buf, 0, 0, 0, 0, recvx, 0, 0, 0, 0);
}

TEST(test_channels, "channels: elements in order, who waits")
{
	static const struct gotype t_chan = TYPE(CHAN, "chan int", 8, .elem = &t_int);
	static const struct gotype t_signal = TYPE(CHAN, "<-chan struct {}", 8, .elem = &t_empty);

	recs_begin();
	put_chan(0x100, 3, 4, 0x200, 2);
	PUT(0x200, 12, 13, 10, 11);
	PUT(0x300, 0, 0, 0, 1ULL << 32, 0, 0, 0, 0, 0, 0, 0, 0);
	PUT(0x400, 0, 0, 0, 0, 0, 0, 0, 0, 0x500, 0, 0x580, 0);
	PUT(0x500, 0, 0x520);
	PUT(0x520, 0, 0);
	PUT(0x580, 0, 0x5a0);		/* the next one is not there */
	put_chan(0x600, 8, 1000, 0x200, 2);
	put_chan(0x700, 8, 1000, 0x200, 500);
	put_chan(0x800, 9, 4, 0x200, 0);
	put_chan(0x900, 1, 4, 0x200, 4);
	put_chan(0xa00, 2, 4, 0x9990, 0);
	SAYS(SHOW(&t_chan, 0x100), "chan int{10, 11, 12} (len 3, cap 4)");
	SAYS(JSON(&t_chan, 0x100),
	     "{'type':'chan int','address':'0x100','len':3,'cap':4,'closed':false,'receivers':0,'senders':0,'elements':[10,11,12]}");
	SAYS(SHOW(&t_chan, 0x300), "chan int{} (len 0, cap 0, closed)");
	SAYS(SHOW(&t_chan, 0x400), "chan int{} (len 0, cap 0, 2 receiving, 2+ sending)");
	SAYS(JSON(&t_chan, 0x400),
	     "{'type':'chan int','address':'0x400','len':0,'cap':0,'closed':false,'receivers':2,'senders':2,'more_waiting':true,'elements':[]}");
	/* Of 1000 places four were captured. */
	SAYS(SHOW(&t_chan, 0x600), "chan int{10, 11, ...} (len 8, cap 1000)");
	SAYS(SHOW(&t_chan, 0x700), "chan int{...} (len 8, cap 1000)");
	SAYS(SHOW(&t_chan, 0x800), "chan int<impossible length> (len 9, cap 4)");
	SAYS(SHOW(&t_chan, 0x900), "chan int<impossible length> (len 1, cap 4)");
	SAYS(SHOW(&t_chan, 0xa00), "chan int<not followed> (len 2, cap 4)");
	SAYS(SHOW(&t_chan, 0xb00), "(chan int)(0xb00)");
	SAYS(SHOW(&t_chan, 0), "nil");
	SAYS(SHOW(&t_signal, 0x100), "<-chan struct {}{{}, {}, {}} (len 3, cap 4)");
	recs_go(22);
	PUT(0xc00, 1, 4, 0x200, 0, 0, 0, 3, 0, 0, 0, 0);
	SAYS(SHOW(&t_chan, 0xc00), "chan int{11} (len 1, cap 4)");
	/* Where that release has its type, later ones have a timer. */
	PUT(0xd00, 1, 1, 0x200, 0, 0x4000, 0, 0, 0, 0, 0, 0, 0);
	SAYS(SHOW(&t_chan, 0xd00), "chan int{12} (len 1, cap 1)");
	recs_go(23);
	SAYS(SHOW(&t_chan, 0xd00), "chan int{} (len 0, cap 0)");
	SAYS(JSON(&t_chan, 0xd00),
	     "{'type':'chan int','address':'0xd00','len':0,'cap':0,'closed':false,'receivers':0,'senders':0,'elements':[]}");
}

TEST(test_shared_index, "1500 objects are found by an index")
{
	uint64_t slice[] = { 0x10000, 1500, 1500 };
	char *want = malloc(64 << 10), *w = want;
	uint64_t ids[1500];

	recs_begin();
	w += sprintf(w, "[]*shop.Item{");
	for (int i = 0; i < 1500; i++) {
		/* In no order. */
		ids[i] = 0x100000 + (i * 7919 % 1500) * 0x20;
		w += sprintf(w, "%s&{ID: %d, Name: \"\"}", i ? ", " : "", i);
	}
	w += sprintf(w, "}");
	for (int i = 0; i < 1500; i++)
		PUT(ids[i], i, 0, 0);
	recs_put(0x10000, ids, sizeof(ids));
	SAYS(recs_show(&items, slice, false), want);
	free(want);
}
