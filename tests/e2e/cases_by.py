# SPDX-License-Identifier: GPL-2.0
"""goprobectl count --by and latency --by, compared with calls whose values are known: tests/targets/conds."""

import collections
import json
import re

from cases_cond import conds, interrupt, run
from cases_count import started
from lib import case, check, nothing_probed, of_kind, parse, same

TEXTS = ["POST", "GET", "", "a longer string", "a longer strinG", "POSU", "PO", "a longer string still"]
EVEN = "main.even(w unsafe.Pointer, tag int) int"
STEPS = range(500)


def text(i):
    return TEXTS[i % 8]


def ends(i):
    """Does step(i) return? Else it panics."""
    return i % 7 != 3


def failed(i):
    return "*errors.errorString" if i % 5 == 0 else None


def node(i):
    return (None, 2, 4, 5)[i % 4]


def dynamic(i):
    return (None, "*main.node", "int", "string")[i % 4]


def counted(values):
    """{key: calls} of all calls that have a key."""
    return dict(collections.Counter(v for v in values if v is not NotImplemented))


# An expression, and its value in call i; NotImplemented: the value is not known, or there is no such call.
COUNTED = [
    (("main.step", "i"), lambda i: (i,)),
    (("main.step", "b"), lambda i: ((i + 128) % 256 - 128,)),
    (("main.step", "c"), lambda i: (0 if i == 8 else (i * 131 - 1) % 65536,)),
    (("main.step", "d"), lambda i: (120 if i == 120 else i % 41 - 20,)),
    (("main.step", "e"), lambda i: (i * 0x0123456789abcdef % 2**64,)),
    (("main.step", "s", "ok"), lambda i: (text(i), i % 3 == 0)),
    (("main.step", "t", "len(s)", "y"), lambda i: (TEXTS[i // 8 % 8], len(text(i)), (i % 5 - 2) / 10)),
    (("main.step", "limit"), lambda i: (250,)),
    (("main.step", "i / 100", "hasPrefix(s, \"PO\") && !ok"), lambda i: (i // 100, text(i).startswith("PO") and i % 3 != 0)),
    (("main.step", "failed"), lambda i: (failed(i),) if ends(i) else NotImplemented),
    (("main.step", "out", "n"), lambda i: (text(i) + TEXTS[i // 8 % 8], 3 * i) if ends(i) else NotImplemented),
    (("main.refs", "any"), lambda i: (dynamic(i),)),
    (("main.refs", "err", "len(m)"), lambda i: ("*errors.errorString" if i % 3 == 0 else None, int(i % 6 == 3))),
    (("main.refs", "p.Value"), lambda i: (node(i),) if i % 4 else NotImplemented),
    (("main.refs", "any.(*main.node).Value"), lambda i: (node(1 + i // 4 % 3),) if i % 4 == 1 else NotImplemented),
    (("main.refs", "list[3]"), lambda i: ((6, 4)[i % 5 == 4],) if i % 5 in (2, 4) else NotImplemented),
    (("main.step if i > 250", "s"), lambda i: (text(i),) if i > 250 else NotImplemented),
    (("main.step if i > 250", "n"), lambda i: (3 * i,) if i > 250 and ends(i) else NotImplemented),
    (("main.step if failed != nil", "s"), lambda i: (text(i),) if failed(i) and ends(i) else NotImplemented),
    (("main.step if failed != nil", "out"), lambda i: (text(i) + TEXTS[i // 8 % 8],) if failed(i) and ends(i) else NotImplemented),
    (("main.step if failed != nil", "limit"), lambda i: (250,) if failed(i) and ends(i) else NotImplemented),
    (("main.step if i > 250 && failed != nil", "s"), lambda i: (text(i),) if i > 250 and failed(i) and ends(i) else NotImplemented),
]


def by(t, target, command, spec, *exprs):
    args = [a for e in exprs for a in ("--by", e)]
    return started(t, command, "-p", target.pid, "-o", "json", *args, spec)


def keys_of(lines, kind):
    return {tuple(k["value"] for k in e["key"]): e["calls"] for e in of_kind(lines, kind)}


@case("by: calls are counted by parameters, results, values behind pointers, types of interfaces, with conditions, under panics")
def counts(t):
    target = conds(t)
    for i in range(0, len(COUNTED), 11):
        batch = COUNTED[i:i + 11]
        processes = [by(t, target, "count", *what) for what, _ in batch]
        run(target)
        for (what, value), process in zip(batch, processes):
            lines = interrupt(process)
            want = counted(value(k) for k in STEPS)
            same(keys_of(lines, "count_key"), want, str(what))
            summary = of_kind(lines, "summary")[0]
            same((summary["keys"], summary["no_key"], summary["calls"]), (len(want), 0, sum(want.values())), "%s: summary" % (what,))
            order = [e["calls"] for e in of_kind(lines, "count_key")]
            same(order, sorted(order, reverse=True), "%s: order" % (what,))
            for e in of_kind(lines, "count_key"):
                same([k["expr"] for k in e["key"]], list(what[1:]), "expressions")
    check(nothing_probed(), "something is still probed")


@case("by: goroutines, addresses and floats are keys; unreadable values have a count of their own")
def others(t):
    target = conds(t)
    goid, pointer, floats, nil = [by(t, target, "count", *what) for what in (
        ("main.step", "goid", "pid"), ("main.refs", "p"), ("main.step", "x"), ("main.refs", "p.Value"))]
    own = run(target)["goid"]
    keys = keys_of(interrupt(goid), "count_key")
    same(sorted(keys.values()), [250, 250], "calls of two goroutines")
    check((own, target.pid) in keys, "%d is not among %s", own, keys)
    keys = keys_of(interrupt(pointer), "count_key")
    same(sorted(keys.values()), [125] * 4, "calls by pointer")
    check(all(k is None or re.match("0x[0-9a-f]+$", k) for k, in keys) and (None,) in keys, "addresses: %s", keys)
    shown = "\n".join(json.dumps(e) for e in interrupt(floats))
    lines = [e for e in map(json.loads, shown.splitlines()) if e["kind"] == "count_key"]
    same(len(lines), 8, "floats")
    same(sum(e["calls"] for e in lines), 500, "calls by float")
    same({str(e["key"][0]["value"]) for e in lines if isinstance(e["key"][0]["value"], str)}, {"NaN", "+Inf"}, "odd floats")
    same(of_kind(interrupt(nil), "summary")[0]["undecided"], 125, "calls with nil on the way")


@case("by: durations are by key of the call or of the return, and only of calls that return")
def times(t):
    target = conds(t)
    wanted = [
        (("main.step", "s", "ok"), lambda i: (text(i), i % 3 == 0) if ends(i) else NotImplemented),
        (("main.step", "failed"), lambda i: (failed(i),) if ends(i) else NotImplemented),
        (("main.step if failed != nil", "s"), lambda i: (text(i),) if ends(i) and failed(i) else NotImplemented),
        (("main.step if i > 250", "n"), lambda i: (3 * i,) if ends(i) and i > 250 else NotImplemented),
        (("main.step if duration > 15ms", "i"), lambda i: (i,) if ends(i) and i % 100 == 52 else NotImplemented),
        (("main.deep", "depth"), lambda i: (i + 1,) if i <= 20 else NotImplemented),
    ]
    processes = [by(t, target, "latency", *what) for what, _ in wanted]
    run(target)
    for (what, value), process in zip(wanted, processes):
        lines = interrupt(process)
        got, want = keys_of(lines, "latency_key"), counted(value(k) for k in STEPS)
        if "duration" in what[0]:
            # On a machine that is busy others can be slow as well.
            got = {k: n for k, n in got.items() if k in want}
        same(got, want, str(what))
        for e in of_kind(lines, "latency_key"):
            check(0 < e["min_ns"] <= e["p50_ns"] <= e["max_ns"] <= e["sum_ns"], "a line: %s", e)
    slow = started(t, "latency", "-p", target.pid, "--by", "i", "--top", 100, "main.step")
    run(target)
    slow.signal(2)
    rows = "\n".join(slow.finish()).splitlines()
    check(rows[0].split()[0] == "CALLS" and rows[0].split()[-1] == "KEY" and len(rows) == 101, "a table: %s", rows[:3])
    # Of those that sleep one panics. On a busy host other calls are slow as well, but fewer than these.
    sleepers = [r for r in rows[1:] if re.search(r"  i=\d*52$", r)]
    same(len(sleepers), 4, "those that sleep, among the 100 slowest")
    check("not shown" in slow.stderr() and "500 calls of 1 function by" in slow.stderr(), "it said: %s", slow.stderr())


def cut(text, part):
    """What the tool prints of a string: @part is a part of a key."""
    return part["value"] == text[:64] and part.get("len") == len(text) and part["truncated"]


@case("by: long strings are keys of their own, whichever byte differs, in all formats; what the hash does not cover says so")
def long_strings(t):
    target = t.target("queries")
    every = ("--by", "sql", "--by", "tenant", "main.query")
    ways = {"json": ("count", "-o", "json"), "text": ("count", "--top", 1000), "metrics": ("count", "-o", "openmetrics"),
            "latency": ("latency", "-o", "json"), "stack": ("stack", "-o", "json", "--frames", 2)}
    running = {way: started(t, *command, "-p", target.pid, *every) for way, command in ways.items()}
    again = []
    target.send()
    want = json.loads(target.line())
    for way in "json", "latency":
        lines = interrupt(running[way])
        keys = of_kind(lines, {"json": "count_key"}.get(way, "latency_key"))
        same(len(keys), len(want) + 2, "%s: keys" % way)
        same(sorted(e["calls"] for e in keys), sorted([c["calls"] for c in want] + [1, 2]), "%s: calls by key" % way)
        for e in keys:
            sql, tenant = e["key"]
            its = [c for c in want if c["calls"] == e["calls"] and (sql["value"] == c["sql"] or cut(c["sql"], sql)) and
                   (tenant["value"] == c["tenant"] or cut(c["tenant"], tenant))]
            # A byte that is no text is one in goprobe's JSON, and none in Go's.
            check(its or sql.get("len") == 5000 or sql["value"] == "\udcff", "%s: a key of no call: %s", way, e)
            same(sql.get("several", False), sql.get("len") == 5000, "%s: %s may be several strings" % (way, sql))
            same("hash" in sql, len(sql["value"]) < sql.get("len", 0), "%s: a hash of %s" % (way, sql))
        again.append({tuple(k.get("hash", k["value"]) for k in e["key"]): e["calls"] for e in keys})
    same(*again, "keys of two sessions")
    rows = interrupted(running["text"])
    same(len({r.split(None, 1)[1] for r in rows[1:]}), len(want) + 2, "rows of text that differ")
    same(sum("<perhaps several values>" in r for r in rows), 2, "rows that may stand for several strings")
    series = [l for l in interrupted(running["metrics"]) if re.match(r"goprobe_\w+_total\{.*key1_sql=", l)]
    same((len(series), len({s.rpartition(" ")[0] for s in series})), (len(want) + 2,) * 2, "series of metrics, and different ones")
    stacks = of_kind(interrupt(running["stack"]), "stack")
    same(sorted(s["count"] for s in stacks), sorted([c["calls"] for c in want] + [1, 1, 1]), "stacks by key")


def interrupted(process):
    process.signal(2)
    return "\n".join(process.finish()).splitlines()


@case("by: many goroutines on stacks that move: each call has its key, and keys beyond the limit are reported")
def stressed(t):
    functions = ("main.even", "main.odd", "main.guard")
    target = t.target("stress", "-hold", "-goroutines", 40, "-depth", 120)
    goids = started(t, "count", "-p", target.pid, "-o", "json", "--by", "goid", *functions)
    tags = started(t, "count", "-p", target.pid, "-o", "json", "--keys", 10000, "--by", "tag", EVEN)
    few = started(t, "count", "-p", target.pid, "-o", "json", "--keys", 5, "--by", "tag", EVEN)
    plain = started(t, "count", "-p", target.pid, "--top", 3, "--by", "goid", *functions)
    target.send()
    want = json.loads(target.line())["functions"]
    target.finish()
    lines = parse("\n".join(goids.finish()))
    for f in functions:
        same(sum(e["calls"] for e in of_kind(lines, "count_key") if e["func"] == f), want[f]["calls"], f + " by goroutine")
    same(len({e["key"][0]["value"] for e in of_kind(lines, "count_key")}), 40, "goroutines")

    keys = keys_of(parse("\n".join(tags.finish())), "count_key")
    same(sum(keys.values()), want["main.even"]["calls"], "calls by tag")
    same(set(keys.values()), {1}, "calls of one tag")

    lines = parse("\n".join(few.finish()))
    got, summary = keys_of(lines, "count_key"), of_kind(lines, "summary")[0]
    same(len(got), 5, "keys that fitted")
    same(sum(got.values()) + summary["no_key"], want["main.even"]["calls"], "calls with and without a key")
    same(of_kind(lines, "count")[0]["calls"], want["main.even"]["calls"], "the function's own number")

    rows = "\n".join(plain.finish()).splitlines()
    check(len(rows) == 4 and rows[0].endswith("  FUNCTION, KEY") and re.search(r"\d  main\.\w+  goid=\d+$", rows[1]), "a table: %s", rows)


@case("by: a function that only a glob matches is left out if it has no such value")
def left_out(t):
    target = conds(t)
    process = started(t, "count", "-p", target.pid, "--by", "any", "-o", "json", "main.*")
    run(target)
    lines = interrupt(process)
    same({e["func"] for e in of_kind(lines, "count_key")}, {"main.refs"}, "functions with a parameter of that name")
    check("have no 'any'" in process.stderr(), "it said: %s", process.stderr())
