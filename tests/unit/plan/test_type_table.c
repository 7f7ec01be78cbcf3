// SPDX-License-Identifier: GPL-2.0
/* References in Go types, and their description for the module. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "plan/dynamic_type.h"
#include "plan/learn.h"
#include "plan/plan.h"
#include "plan/reference.h"
#include "plan/type_table.h"
#include "rows.h"

static const struct gotype t_int = { GOTYPE_INT, "int", 8, 8 };
static const struct gotype t_byte = { GOTYPE_UINT, "uint8", 1, 1 };
static const struct gotype t_string = { GOTYPE_STRING, "string", 16, 8 };
static const struct gotype t_any = { GOTYPE_INTERFACE, "interface {}", 16, 8, .empty = true };
static const struct gotype t_error = { GOTYPE_INTERFACE, "error", 16, 8 };
static const struct gotype t_context = { GOTYPE_INTERFACE, "context.Context", 16, 8 };
static const struct gotype t_func = { GOTYPE_FUNC, "func()", 8, 8 };
static const struct gotype t_unsafe = { GOTYPE_POINTER, "unsafe.Pointer", 8, 8 };
static const struct gotype t_pstring = { GOTYPE_POINTER, "*string", 8, 8, .elem = &t_string };
static const struct gotype t_bytes = { GOTYPE_SLICE, "[]uint8", 24, 8, .elem = &t_byte };
static const struct gotype t_ip = { GOTYPE_SLICE, "net.IP", 24, 8, .elem = &t_byte };
static const struct gotype t_ints = { GOTYPE_ARRAY, "[1000]int", 8000, 8, .elem = &t_int,
				      .count = 1000 };
static const struct gotype t_strings = { GOTYPE_ARRAY, "[3]string", 48, 8, .elem = &t_string,
					 .count = 3 };
static const struct gotype t_many = { GOTYPE_ARRAY, "[9000]string", 144000, 8,
				      .elem = &t_string, .count = 9000 };
static const struct gotype t_chan = { GOTYPE_CHAN, "chan string", 8, 8, .elem = &t_string };

static const struct gofield item_fields[] = {
	{ "A", &t_int, 0 }, { "B", &t_string, 8 }, { "C", &t_pstring, 24 }, { "D", &t_any, 32 },
};

static const struct gotype t_item = { GOTYPE_STRUCT, "main.Item", 48, 8,
				      .fields = item_fields, .nfields = 4 };

static const struct gofield packed_fields[] = {
	{ "A", &t_byte, 0 }, { "B", &t_string, 1 }, { "C", &t_pstring, 20 },
	{ "D", &t_pstring, 32 },
};

static const struct gotype t_packed = { GOTYPE_STRUCT, "main.Packed", 40, 8,
					.fields = packed_fields, .nfields = 4 };

static const struct gotype t_g = { GOTYPE_STRUCT, "runtime.g", 400, 8 };
static const struct gotype t_pg = { GOTYPE_POINTER, "*runtime.g", 8, 8, .elem = &t_g };
static const struct gotype t_assertion = { GOTYPE_STRUCT, "runtime.TypeAssertionError", 40, 8 };
static const struct gotype t_passertion = { GOTYPE_POINTER, "*runtime.TypeAssertionError", 8, 8,
					    .elem = &t_assertion };
static const struct gotype t_rtype = { GOTYPE_STRUCT, "reflect.rtype", 48, 8 };
static const struct gotype t_prtype = { GOTYPE_POINTER, "*reflect.rtype", 8, 8,
					.elem = &t_rtype };

static const struct gotype t_zone = { GOTYPE_STRUCT, "time.zone", 32, 8 };
static const struct gotype t_pzone = { GOTYPE_POINTER, "*time.zone", 8, 8, .elem = &t_zone };
static const struct gotype t_zones = { GOTYPE_SLICE, "[]time.zone", 24, 8, .elem = &t_zone };
static const struct gofield location_fields[] = {
	{ "name", &t_string, 0 }, { "zone", &t_zones, 16 }, { "cacheZone", &t_pzone, 40 },
};

static const struct gotype t_location = { GOTYPE_STRUCT, "time.Location", 48, 8,
					  .fields = location_fields, .nfields = 3 };
static const struct gotype t_plocation = { GOTYPE_POINTER, "*time.Location", 8, 8,
					   .elem = &t_location };
static const struct gofield time_fields[] = {
	{ "wall", &t_int, 0 }, { "ext", &t_int, 8 }, { "loc", &t_plocation, 16 },
};

static const struct gotype t_time = { GOTYPE_STRUCT, "time.Time", 24, 8,
				      .fields = time_fields, .nfields = 3 };

static const struct gofield value_ctx_fields[] = {
	{ "Context", &t_context, 0, true }, { "key", &t_any, 16 }, { "val", &t_any, 32 },
};

static const struct gotype t_value_ctx = { GOTYPE_STRUCT, "context.valueCtx", 48, 8,
					   .fields = value_ctx_fields, .nfields = 3 };
static const struct gofield has_context_fields[] = { { "ctx", &t_context, 0 } };

static const struct gotype t_has_context = { GOTYPE_STRUCT, "main.Job", 16, 8,
					     .fields = has_context_fields, .nfields = 1 };
static const struct gofield pool_fields[] = { { "local", &t_unsafe, 0 }, { "New", &t_func, 8 } };

static const struct gotype t_pool = { GOTYPE_STRUCT, "sync.Pool", 16, 8,
				      .fields = pool_fields, .nfields = 2 };

static const struct gotype t_pitem = { GOTYPE_POINTER, "*main.Item", 8, 8, .elem = &t_item };
static const struct gotype t_none = { GOTYPE_ARRAY, "[0]*main.Item", 0, 8, .elem = &t_pitem };
static const struct gofield atomic_fields[] = { { "_", &t_none, 0 }, { "v", &t_unsafe, 0 } };

static const struct gotype t_atomic = { GOTYPE_STRUCT, "sync/atomic.Pointer[main.Item]", 8, 8,
					.fields = atomic_fields, .nfields = 2 };

static const struct gotype t_root = { GOTYPE_STRUCT, "sync/atomic.Pointer[...]", 8, 8 };
static const struct gofield trie_fields[] = { { "inited", &t_int, 0 }, { "root", &t_root, 16 } };

static const struct gotype t_trie = {
	GOTYPE_STRUCT, "internal/sync.HashTrieMap[interface {},interface {}]", 24, 8,
	.fields = trie_fields, .nfields = 2
};

static const struct gofield sync_fields[] = { { "m", &t_trie, 0 } };
static const struct gotype t_sync_map = { GOTYPE_STRUCT, "sync.Map", 24, 8,
					  .fields = sync_fields, .nfields = 1 };
#define TRIE "(internal/sync.HashTrieMap[interface {},interface {}]/9)"
#define CHILD TRIE "[5 0/1]="

static const struct gomap bucket = { .size = 208, .key_at = 8, .key_stride = 16,
				     .elem_at = 136, .elem_stride = 8 };
static const struct gotype t_map = { GOTYPE_MAP, "map[string]*main.Item", 8, 8,
				     .elem = &t_pitem, .key = &t_string, .map = &bucket };
static const struct gomap group = { .swiss = true, .size = 200, .key_at = 8, .key_stride = 24,
				    .elem_at = 24, .elem_stride = 24 };
static const struct gotype t_swiss = { GOTYPE_MAP, "map[string]*main.Item", 8, 8,
				       .elem = &t_pitem, .key = &t_string, .map = &group };
static const struct gomap wide = { .swiss = true, .size = 136, .key_at = 8, .key_stride = 16,
				   .elem_at = 16, .elem_stride = 16, .key_indirect = true,
				   .elem_indirect = true };
static const struct gotype t_wide = { GOTYPE_MAP, "map[main.Item]main.Item", 8, 8,
				      .elem = &t_item, .key = &t_item, .map = &wide };

static const struct gotype t_password = { GOTYPE_STRING, "main.Password", 16, 8 };
static const struct gotype t_passwords = { GOTYPE_SLICE, "[]main.Password", 24, 8,
					   .elem = &t_password };
static const struct gofield user_fields[] = {
	{ "Name", &t_string, 0 }, { "APIKey", &t_bytes, 16 }, { "CVV", &t_byte, 40 },
	{ "Tries", &t_int, 48 }, { "Old", &t_passwords, 56 }, { "secret", &t_any, 80 },
	{ "token", &t_func, 96 },
};

static const struct gotype t_user = { GOTYPE_STRUCT, "main.User", 104, 8,
				      .fields = user_fields, .nfields = 7 };
static const struct gofield pair_fields[] = {
	{ "N", &t_byte, 0 }, { "M", &t_byte, 1 }, { "Token", &t_string, 8 },
	{ "P", &t_password, 24 },
};

static const struct gotype t_pair = { GOTYPE_STRUCT, "main.Pair", 40, 8,
				      .fields = pair_fields, .nfields = 4 };
static const struct gotype t_pairs = { GOTYPE_ARRAY, "[32]main.Pair", 1280, 8, .elem = &t_pair,
				       .count = 2 };
static const struct gotype t_more = { GOTYPE_ARRAY, "[33]main.Pair", 1320, 8, .elem = &t_pair,
				      .count = 33 };
/* Debug information with a field that does not fit. */
static const struct gofield torn_fields[] = { { "token", &t_string, 8 }, { "cvv", &t_int, 4 } };
static const struct gotype t_torn = { GOTYPE_STRUCT, "main.Torn", 16, 8,
				      .fields = torn_fields, .nfields = 2 };
static const struct gomap vault = { .swiss = true, .size = 264, .key_at = 8, .key_stride = 32,
				    .elem_at = 24, .elem_stride = 32 };
static const struct gotype t_vault = { GOTYPE_MAP, "map[string]main.Password", 8, 8,
				       .elem = &t_password, .key = &t_string, .map = &vault };

/* An error whose text is behind two more pointers, and what leads there. */
static const struct gofield said_fields[] = {
	{ "Code", &t_int, 0 }, { "Text", &t_string, 8 }, { "Item", &t_pitem, 24 },
	{ "Token", &t_string, 32 },
};

static const struct gotype t_said = { GOTYPE_STRUCT, "main.said", 48, 8,
				      .fields = said_fields, .nfields = 4 };
static const struct gotype t_psaid = { GOTYPE_POINTER, "*main.said", 8, 8, .elem = &t_said };
static const struct gofield status_fields[] = { { "s", &t_psaid, 0 } };
static const struct gotype t_status = { GOTYPE_STRUCT, "main.status", 8, 8,
					.fields = status_fields, .nfields = 1 };
static const struct gotype t_pstatus = { GOTYPE_POINTER, "*main.status", 8, 8,
					 .elem = &t_status };
static const struct gofield refused_fields[] = {
	{ "s", &t_pstatus, 0 }, { "g", &t_pg, 8 }, { "n", &t_zones, 16 },
};

static const struct gotype t_refused = { GOTYPE_STRUCT, "main.refused", 40, 8,
					 .fields = refused_fields, .nfields = 3 };
static const struct gotype t_prefused = { GOTYPE_POINTER, "*main.refused", 8, 8,
					  .elem = &t_refused };
static const struct gotype t_errors = { GOTYPE_SLICE, "[]error", 24, 8, .elem = &t_error };
static const struct gofield wraps_fields[] = {
	{ "Op", &t_string, 0 }, { "Err", &t_error, 16 }, { "all", &t_errors, 32 },
	{ "ctx", &t_context, 56 }, { "s", &t_pstatus, 72 }, { "any", &t_any, 80 },
};

static const struct gotype t_wraps = { GOTYPE_STRUCT, "main.wraps", 96, 8,
				       .fields = wraps_fields, .nfields = 6 };
static const struct gotype t_wraperror = { GOTYPE_STRUCT, "fmt.wrapError", 96, 8,
					   .fields = wraps_fields, .nfields = 2 };
/* Four pointers to a text are too many. */
static const struct gofield far_fields[] = { { "s", &t_prefused, 0 } };
static const struct gotype t_far = { GOTYPE_STRUCT, "main.far", 8, 8,
				     .fields = far_fields, .nfields = 1 };
static const struct gotype t_pfar = { GOTYPE_POINTER, "*main.far", 8, 8, .elem = &t_far };
static const struct gofield farther_fields[] = { { "s", &t_pfar, 0 } };
static const struct gotype t_farther = { GOTYPE_STRUCT, "main.farther", 8, 8,
					 .fields = farther_fields, .nfields = 1 };

struct refs_case {
	const char *claim;
	const struct gotype *t;
	enum wire_role role;
	int minor;
	const char *want;	/* "=": follows at the same level */
};

static const struct refs_case refs_cases[] = {
	{ "a number refers to nothing", &t_int, WIRE_VALUE, 24, "" },
	{ "a string", &t_string, WIRE_VALUE, 24, "0:str=" },
	{ "a slice, of its elements", &t_bytes, WIRE_VALUE, 24, "0:slice(uint8)" },
	{ "an address is its bytes", &t_ip, WIRE_VALUE, 24, "0:slice(uint8)=" },
	{ "a pointer", &t_pstring, WIRE_VALUE, 24, "0:ptr(string)" },
	{ "an unsafe pointer leads nowhere", &t_unsafe, WIRE_VALUE, 24, "" },
	{ "interfaces of both kinds", &t_any, WIRE_VALUE, 24, "0:eface(interface {})" },
	{ "an interface with methods", &t_error, WIRE_VALUE, 24, "0:iface(error)" },
	{ "a function", &t_func, WIRE_VALUE, 24, "0:func" },
	{ "a struct has those of its fields", &t_item, WIRE_VALUE, 24,
	  "8:str= 24:ptr(string) 32:eface(interface {})" },
	{ "places that are not aligned are left out", &t_packed, WIRE_VALUE, 24,
	  "32:ptr(string)" },
	{ "an array has those of its elements", &t_strings, WIRE_VALUE, 24,
	  "0:str= 16:str= 32:str=" },
	{ "an array of numbers has none", &t_ints, WIRE_VALUE, 24, "" },
	{ "goroutines are not followed", &t_pg, WIRE_VALUE, 24, "" },
	{ "type descriptors are not followed", &t_prtype, WIRE_VALUE, 24, "" },
	{ "the runtime's errors are", &t_passertion, WIRE_VALUE, 24,
	  "0:ptr(runtime.TypeAssertionError)" },
	{ "a time has its zone", &t_time, WIRE_VALUE, 24, "16:ptr(time.Location)=" },
	{ "a zone has a name and what it is now", &t_location, WIRE_VALUE, 24,
	  "0:str= 40:ptr(time.zone)" },
	{ "a context's parent is as near as itself", &t_value_ctx, WIRE_VALUE, 24,
	  "0:iface(context.Context)= 16:eface(interface {}) 32:eface(interface {})" },
	{ "a context in a field is farther away", &t_has_context, WIRE_VALUE, 24,
	  "0:iface(context.Context)" },
	{ "a pool keeps its own", &t_pool, WIRE_VALUE, 24, "" },
	{ "an atomic pointer says what it points to", &t_atomic, WIRE_VALUE, 24,
	  "0:ptr(main.Item)" },
	{ "a map of buckets", &t_map, WIRE_VALUE, 23, "0:ptr(map[string]*main.Item/1)" },
	{ "its header, while it grows too", &t_map, WIRE_HMAP, 23,
	  "16:array(map[string]*main.Item/2)[3 9/1 >>2]= 24:array(map[string]*main.Item/2)[4 8/2 >>2]="
	},
	{ "its bucket, with the next one", &t_map, WIRE_BUCKET, 23,
	  "8:str= 24:str= 40:str= 56:str= 72:str= 88:str= 104:str= 120:str= 136:ptr(main.Item) 144:ptr(main.Item) 152:ptr(main.Item) 160:ptr(main.Item) 168:ptr(main.Item) 176:ptr(main.Item) 184:ptr(main.Item) 192:ptr(main.Item) 200:ptr(map[string]*main.Item/2)="
	},
	{ "a map of groups", &t_swiss, WIRE_VALUE, 24, "0:ptr(map[string]*main.Item/3)" },
	{ "its header: tables, or a group", &t_swiss, WIRE_SWISS, 24,
	  "16:array(map[string]*main.Item/4)[1 24/8 >>6]= 16:array(map[string]*main.Item/6)[5 24/8 >>6]="
	},
	{ "an entry of its directory", &t_swiss, WIRE_DIR, 24,
	  "0:ptr(map[string]*main.Item/5)=" },
	{ "a table", &t_swiss, WIRE_TABLE, 24,
	  "16:array(map[string]*main.Item/6)[2 24/8 >>2]=" },
	{ "its group: slots in turn", &t_swiss, WIRE_GROUP, 24,
	  "8:str= 24:ptr(main.Item) 32:str= 48:ptr(main.Item) 56:str= 72:ptr(main.Item) 80:str= 96:ptr(main.Item) 104:str= 120:ptr(main.Item) 128:str= 144:ptr(main.Item) 152:str= 168:ptr(main.Item) 176:str= 192:ptr(main.Item)"
	},
	{ "keys and elements elsewhere are as near", &t_wide, WIRE_GROUP, 24,
	  "8:ptr(main.Item)= 16:ptr(main.Item)= 24:ptr(main.Item)= 32:ptr(main.Item)= 40:ptr(main.Item)= 48:ptr(main.Item)= 56:ptr(main.Item)= 64:ptr(main.Item)= 72:ptr(main.Item)= 80:ptr(main.Item)= 88:ptr(main.Item)= 96:ptr(main.Item)= 104:ptr(main.Item)= 112:ptr(main.Item)= 120:ptr(main.Item)= 128:ptr(main.Item)="
	},
	{ "a channel: its buffer, and who waits", &t_chan, WIRE_CHAN, 22,
	  "16:array(string)[1 8/8]= 56:ptr(chan string/8)= 72:ptr(chan string/8)=" },
	{ "a channel since 1.23", &t_chan, WIRE_CHAN, 23,
	  "16:array(string)[1 8/8]= 64:ptr(chan string/8)= 80:ptr(chan string/8)=" },
	{ "a goroutine that waits: the next one", &t_chan, WIRE_SUDOG, 24,
	  "8:ptr(chan string/8)=" },
	{ "a sync.Map: its nodes", &t_sync_map, WIRE_VALUE, 24, "16:ptr" TRIE "=" },
	{ "a node: an entry or more nodes", &t_trie, WIRE_TRIE, 24,
	  "8:array" TRIE "[1 0/1]= 16:eface(interface {}) 24:array" CHILD
	  " 32:eface(interface {}) 32:array" CHILD " 40:array" CHILD " 48:array" CHILD
	  " 56:array" CHILD " 64:array" CHILD " 72:array" CHILD " 80:array" CHILD
	  " 88:array" CHILD " 96:array" CHILD " 104:array" CHILD " 112:array" CHILD
	  " 120:array" CHILD " 128:array" CHILD " 136:array" CHILD " 144:array" CHILD
	},
};

static const struct refs_case error_cases[] = {
	{ "an error behind a pointer", &t_prefused, WIRE_ERROR, 24, "0:ptr(main.refused/10)" },
	{ "it leads to its text, and to nothing else", &t_refused, WIRE_ERROR, 24,
	  "0:ptr(main.status/10)= 16:slice(time.zone)" },
	{ "so does what leads there", &t_status, WIRE_ERROR, 24, "0:ptr(main.said/10)=" },
	{ "where the text is the way ends", &t_said, WIRE_ERROR, 24,
	  "8:str= 24:ptr(main.Item) wipe 32+16" },
	{ "what is no error leads nowhere", &t_status, WIRE_VALUE, 24, "0:ptr(main.said)" },
	{ "three pointers are followed", &t_far, WIRE_ERROR, 24, "0:ptr(main.refused/10)=" },
	{ "four are not", &t_farther, WIRE_ERROR, 24, "0:ptr(main.far)" },
	{ "errors are part of what wraps them", &t_wraps, WIRE_ERROR, 24,
	  "0:str= 16:iface(error)= 32:slice(error/10)= 56:iface(context.Context) 72:ptr(main.status) 80:eface(interface {})"
	},
	{ "a message that has theirs needs them not", &t_wraperror, WIRE_ERROR, 24,
	  "0:str= 16:iface(error)" },
	{ "errors that are an error", &t_errors, WIRE_ERROR, 24, "0:slice(error/10)=" },
	{ "each of them", &t_error, WIRE_ERROR, 24, "0:iface(error)=" },
	{ "others are farther away", &t_errors, WIRE_VALUE, 24, "0:slice(error)" },
};

static const struct refs_case wipes_cases[] = {
	{ "redacted fields are wiped, and not followed", &t_user, WIRE_VALUE, 24,
	  "0:str= 56:slice(main.Password) 96:func wipe 16+25 wipe 80+16" },
	{ "a redacted type is wiped, and not followed", &t_password, WIRE_VALUE, 24, "wipe 0+16" },
	{ "each element of an array", &t_pairs, WIRE_VALUE, 24, "wipe 8+32 wipe 48+32" },
	{ "a large array as a whole", &t_more, WIRE_VALUE, 24, "wipe 0+1320" },
	{ "each element of a group", &t_vault, WIRE_GROUP, 24,
	  "8:str= 40:str= 72:str= 104:str= 136:str= 168:str= 200:str= 232:str= wipe 24+16 wipe 56+16 wipe 88+16 wipe 120+16 wipe 152+16 wipe 184+16 wipe 216+16 wipe 248+16"
	},
	{ "what is damaged within the type", &t_torn, WIRE_VALUE, 24, "wipe 4+12" },
};

static void show_ref(FILE *f, const struct wire_ref *r)
{
	static const char *const kinds[] = {
		[GOPROBE_REF_POINTER] = "ptr", [GOPROBE_REF_STRING] = "str",
		[GOPROBE_REF_SLICE] = "slice", [GOPROBE_REF_IFACE] = "iface",
		[GOPROBE_REF_EFACE] = "eface", [GOPROBE_REF_FUNC] = "func",
		[GOPROBE_REF_ARRAY] = "array",
	};

	fprintf(f, "%u:%s", r->ref.offset, kinds[r->ref.kind]);
	if (r->to && r->role)
		fprintf(f, "(%s/%d)", r->to->name, r->role);
	else if (r->to)
		fprintf(f, "(%s)", r->to->name);
	if (r->ref.count)
		fprintf(f, "[%u %u/%u", r->ref.count, r->ref.count_offset, r->ref.count_size);
	if (r->ref.elements_shift)
		fprintf(f, " >>%u", r->ref.elements_shift);
	if (r->ref.count)
		fputs("]", f);
	if (r->ref.flags & GOPROBE_REF_F_SAME_LEVEL)
		fputs("=", f);
}

static void check_refs(struct reference *r, const struct refs_case *c)
{
	char *got;
	size_t len;
	FILE *f = open_memstream(&got, &len);

	r->layout = runtime_layout_get(c->minor);
	reference_of(r, c->t, c->role);
	for (size_t k = 0; k < r->n; k++) {
		fputs(k ? " " : "", f);
		show_ref(f, &r->v[k]);
	}
	for (size_t k = 0; k < r->nwipes; k++)
		fprintf(f, "%swipe %u+%u", k || r->n ? " " : "", r->wipes[k].offset,
			r->wipes[k].size);
	fclose(f);
	if (strcmp(got, c->want))
		fail_msg("%s:\n got %s\nwant %s", c->claim, got, c->want);
	free(got);
}

TEST(test_wipes, "what is redacted is wiped, and not followed")
{
	static const struct secret_list off = { .off = true };
	static struct reference r;

	for (size_t i = 0; i < N(wipes_cases); i++)
		check_refs(&r, &wipes_cases[i]);
	/* More than there is space for. */
	reference_begin(&r);
	for (uint64_t i = 0; i <= WIREWIPES_MAX; i++)
		reference_add_frame(&r, &t_password, i * 24);
	reference_sort(&r, 65535);
	assert_int_equal(r.nwipes, 1);
	assert_int_equal(r.wipes[0].offset, 0);
	assert_true(r.wipes[0].size >= WIREWIPES_MAX * 24);
	r.secrets = &off;
	check_refs(&r, &(struct refs_case){ "nothing is redacted", &t_user, WIRE_VALUE, 24,
		   "0:str= 16:slice(uint8) 56:slice(main.Password) 80:eface(interface {}) 96:func"
	});
}

TEST(test_errors, "errors lead to what they say")
{
	static struct reference r;

	for (size_t i = 0; i < N(error_cases); i++)
		check_refs(&r, &error_cases[i]);
}

TEST(test_refs, "each kind of type has its references")
{
	static struct reference r;

	for (size_t i = 0; i < N(refs_cases); i++)
		check_refs(&r, &refs_cases[i]);
	/* Bounded, and what is too large for a chunk is never followed. */
	reference_of(&r, &t_many, WIRE_VALUE);
	assert_int_equal(r.n, 64);
	assert_int_equal(reference_size(r.layout, &t_many, WIRE_VALUE), 0);
	/* An argument that is a goroutine is shown, if asked for. */
	reference_begin(&r);
	reference_add_frame(&r, &t_pg, 8);
	assert_int_equal(r.n, 1);
}

/* --- whole plans ------------------------------------------------------ */

/* Bytes of a reference: on purpose not the module's own gp_ref_size(). */
static uint32_t words(uint8_t kind)
{
	switch (kind) {
	case GOPROBE_REF_POINTER:
	case GOPROBE_REF_FUNC:
	case GOPROBE_REF_ARRAY:
		return 8;
	case GOPROBE_REF_STRING:
	case GOPROBE_REF_IFACE:
	case GOPROBE_REF_EFACE:
		return 16;
	case GOPROBE_REF_SLICE:
		return 24;
	}
	fail_msg("kind %u", kind);
	return 0;
}

/* Return: where it ends. */
static uint32_t check_wipe(const struct goprobe_ref *r, uint32_t from, uint32_t size)
{
	struct goprobe_ref plain = { .offset = r->offset, .count_offset = r->count_offset,
				     .kind = GOPROBE_REF_WIPE };

	assert_memory_equal(r, &plain, sizeof(plain));
	assert_true(r->count_offset && r->offset >= from);
	assert_true(r->offset <= size && r->count_offset <= size - r->offset);
	return r->offset + r->count_offset;
}

/* As the module's kmod/control/verify.c demands. */
static void check_type(const struct plan *p, const struct goprobe_type *t)
{
	uint32_t wiped = 0;

	assert_true(t->size && t->size <= UINT16_MAX);
	assert_true(t->ref <= p->nrefs && t->nrefs <= p->nrefs - t->ref);
	for (uint32_t i = 0; i < t->nrefs; i++) {
		const struct goprobe_ref *r = &p->refs[t->ref + i];
		bool typed = r->kind == GOPROBE_REF_POINTER || r->kind == GOPROBE_REF_SLICE ||
			     r->kind == GOPROBE_REF_ARRAY;

		if (r->kind == GOPROBE_REF_WIPE) {
			wiped = check_wipe(r, wiped, t->size);
			continue;
		}
		assert_int_equal(wiped, 0);
		assert_true(r->offset + words(r->kind) <= t->size);
		assert_int_equal(r->offset % 8, 0);
		assert_true(!i || r->offset >= r[-1].offset);
		assert_true(i < 4 || r->offset > r[-4].offset);
		assert_true(typed ? r->type < p->ntypes : !r->type);
		if (r->kind == GOPROBE_REF_ARRAY) {
			assert_in_range(r->count, 1, __GOPROBE_COUNT_MAX - 1);
			if (r->count == GOPROBE_COUNT_FLAGS_LOG2)
				assert_int_equal(r->count_size, 2);
			else
				assert_true(r->count_size == 1 || r->count_size == 8);
			assert_true(r->count_offset + r->count_size <= t->size);
		} else {
			assert_true(!r->count && !r->count_size && !r->count_offset);
		}
		if (r->kind != GOPROBE_REF_ARRAY && r->kind != GOPROBE_REF_SLICE)
			assert_int_equal(r->elements_shift, 0);
	}
}

static void check_dynamic(const struct plan *p, const struct goprobe_dynamic *d)
{
	const struct goprobe_type *t = &p->types[d->type];

	assert_true(d->type < p->ntypes);
	if (!(d->flags & GOPROBE_DYNAMIC_F_DIRECT))
		return;
	assert_int_equal(t->size, 8);
	for (uint32_t i = 0; i < t->nrefs; i++) {
		uint8_t kind = p->refs[t->ref + i].kind;

		assert_true(kind == GOPROBE_REF_POINTER || kind == GOPROBE_REF_FUNC);
	}
}

static void check_plan(const struct plan *p)
{
	assert_true(p->ntypes <= TYPE_TABLE_LEARN_MAX && p->nrefs <= TYPE_TABLE_LEARN_REFS_MAX);
	for (size_t i = 0; i < p->ntypes; i++)
		check_type(p, &p->types[i]);
	for (size_t i = 0; i < p->nfiles; i++) {
		assert_true(p->files[i].ndynamic <= DYNAMIC_TYPE_LEARN_MAX);
		for (size_t k = 0; k < p->files[i].ndynamic; k++)
			check_dynamic(p, &p->files[i].dynamic[k]);
	}
}

static void finish(struct plan *p)
{
	struct diag d = { .message = NULL };

	if (plan_finish(p, &d))
		fail_msg("%s", d.message);
	check_plan(p);
}

static struct plan *plan_of(struct gobin *bin, const char *name, uint32_t depth)
{
	struct plan_options opt = plan_defaults;
	struct diag d = { .message = NULL };
	struct plan *p;

	opt.depth = depth;
	p = plan_new(&opt);
	if (plan_add(p, bin, bins_func(bin, name), &d))
		fail_msg("%s", d.message);
	return p;
}

TEST(test_programs, "whole programs pass the module's rules")
{
	struct bins_each b = BINS("shapes", "", "-noopt");

	while (bins_next(&b)) {
		struct plan *p = plan_new(NULL);
		size_t nf;
		const struct gofunc *fns = gobin_funcs(b.bin, &nf);

		for (size_t k = 0; k < nf; k++) {
			struct diag d = { .message = NULL };

			if (plan_add(p, b.bin, &fns[k], &d))
				diag_fini(&d);
		}
		finish(p);
		assert_true(p->files[0].ndynamic > 100);
		plan_free(p);
	}
}

/* Types that a walk can't reach are not made; a cycle ends. */
TEST(test_depth, "types are made as far as a walk can come")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		size_t before = 0;

		for (uint32_t depth = 0; depth < 6; depth++) {
			struct plan *p = plan_of(b.bin, "main.Refs", depth);

			finish(p);
			/* The two frames, without references but strings'. */
			if (!depth)
				assert_int_equal(p->ntypes, 2);
			assert_true(p->ntypes >= before);
			before = p->ntypes;
			plan_free(p);
		}
	}
}

/* --- types in advance -------------------------------------------------- */

/* A type, and what has it. */
struct wanted_type {
	const struct plan *plan;	/* the plan */
	const char *name;	/* the type's name */
	size_t n;		/* how often the plan has it */
};

static int count_wanted(void *ctx, uint64_t vaddr, const char *name)
{
	struct wanted_type *w = ctx;

	for (size_t i = 0; !strcmp(name, w->name) && i < w->plan->files[0].ndynamic; i++)
		w->n += w->plan->files[0].dynamic[i].address == vaddr;
	return 0;
}

/* The first record has the values of types that code puts into interfaces. */
TEST(test_in_advance, "types that code puts into interfaces are known in advance")
{
	/* What a caller of the function passes; what is put into a context somewhere. */
	static const char *const names[] = { "*container/list.List", "*container/list.Element" };
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt");

	while (bins_next(&b)) {
		struct plan *p = plan_of(b.bin, "main.Interfaces", 4);

		finish(p);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			struct wanted_type w = { .plan = p, .name = names[i] };

			gobin_each_rtype(b.bin, count_wanted, &w);
			if (!w.n)
				fail_msg("%s: no %s", gobin_path(b.bin), names[i]);
		}
		plan_free(p);
	}
}

/* --- learning --------------------------------------------------------- */

static size_t find_dynamic(const struct plan *p, uint64_t vaddr, uint32_t *type)
{
	size_t n = 0;

	for (size_t i = 0; i < p->files[0].ndynamic; i++) {
		if (p->files[0].dynamic[i].address != vaddr)
			continue;
		*type = p->files[0].dynamic[i].type;
		n++;
	}
	return n;
}

struct unknown {
	const struct plan *plan;
	struct gobin *bin;
	uint64_t vaddr;
};

static int if_unknown(void *ctx, uint64_t vaddr, const char *name)
{
	struct unknown *u = ctx;
	const struct gotype *t = gobin_rtype(u->bin, vaddr);
	uint32_t type;

	(void)name;
	if (!t || t->kind != GOTYPE_STRUCT || !t->size || t->size > 4096 ||
	    find_dynamic(u->plan, vaddr, &type))
		return 0;
	u->vaddr = vaddr;
	return 1;
}

/* A plan that is finished, and the descriptor of a type that it does not have. */
static struct plan *plan_without(struct gobin *bin, uint64_t *vaddr)
{
	struct plan *p = plan_of(bin, "main.Interfaces", 4);
	struct unknown u = { .plan = p, .bin = bin };

	finish(p);
	assert_int_equal(gobin_each_rtype(bin, if_unknown, &u), 1);
	*vaddr = u.vaddr;
	return p;
}

/* A record of main.Interfaces whose third argument, an any, has a type. */
static void show(struct learn *l, struct gobin *bin, uint64_t type, uint64_t bias)
{
	static uint8_t frame[48];
	static struct record r;

	memset(&r, 0, sizeof(r));
	type += bias;
	memcpy(frame + 32, &type, sizeof(type));
	r.h.kind = GOPROBE_RECORD_CALL;
	r.h.plan = l->plan->funcs[0]->call.plan;
	r.frame = frame;
	r.frame_size = sizeof(frame);
	learn_record(l, &r, bin, bias);
}

TEST(test_learn, "an unknown dynamic type is learned once")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		uint64_t vaddr;
		struct plan *p = plan_without(b.bin, &vaddr);
		uint32_t id = 0, again = 0;
		size_t types = p->ntypes;
		struct learn l;

		learn_init(&l, p);
		show(&l, b.bin, vaddr, 0x1000);
		assert_true(l.pending);
		finish(p);
		assert_int_equal(find_dynamic(p, vaddr, &id), 1);
		assert_true(id >= types);
		/* Once is enough, and what is no type is not learned. */
		l.pending = false;
		show(&l, b.bin, vaddr, 0x1000);
		show(&l, b.bin, 0, 0);
		show(&l, b.bin, 0x1234567, 0x1000);
		assert_false(l.pending);
		assert_int_equal(find_dynamic(p, vaddr, &again), 1);
		learn_fini(&l);
		plan_free(p);
	}
}

/* A type that was described for a far level is described again for a nearer one. */
TEST(test_nearer, "a type is described again for a nearer level")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		uint64_t vaddr;
		struct plan *p = plan_without(b.bin, &vaddr);
		uint32_t far = 0, near = 0;

		assert_int_equal(plan_learn_type(p, b.bin, vaddr, 4), 1);
		finish(p);
		assert_int_equal(find_dynamic(p, vaddr, &far), 1);
		assert_int_equal(plan_learn_type(p, b.bin, vaddr, 4), 0);
		assert_int_equal(plan_learn_type(p, b.bin, vaddr, 5), 0);
		assert_int_equal(plan_learn_type(p, b.bin, vaddr, 1), 1);
		finish(p);
		/* The module takes the later one. */
		assert_int_equal(find_dynamic(p, vaddr, &near), 2);
		assert_true(near > far);
		assert_int_equal(plan_learn_type(p, b.bin, vaddr, 2), 0);
		plan_free(p);
	}
}
