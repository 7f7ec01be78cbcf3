# SPDX-License-Identifier: GPL-2.0
"""Filters, pairs and held calls, by the protocol itself, against a program that counts itself."""

import json
import struct
import time

import genl
from cases_tally import STRESS, points_of, runtime
from genl import Client, op
from lib import PATIENCE, case, check, same, wait_for

CALL, RETURN, TAIL = genl.GOPROBE_POINT_CALL, genl.GOPROBE_POINT_RETURN, genl.GOPROBE_POINT_TAIL
PAIRED, HELD = genl.GOPROBE_POINT_F_PAIRED, genl.GOPROBE_POINT_F_PENDING
RAX, RBX = 0, 3
RING = 32 << 20

# Their second argument, in RBX, is a tag; their result, in RAX, is 2 * tag + 1.
TAGGED = ("main.even", "main.odd", "main.guard")


def begin(t, path, filters, points, *pids, **kwargs):
    """A session that has started; frames are the word of RBX in calls, of RAX in returns."""
    client = Client()
    client.new_session(*pids, ring=RING, **kwargs)
    client.add_file(path, runtime(t))
    client.add_types([genl.type_(8)])
    client.add_plans([genl.plan(0, 0, 1), genl.plan(0, 1, 1)], [genl.piece(genl.GOPROBE_FROM_INT_REG, RBX, 8, 0),
                                                                genl.piece(genl.GOPROBE_FROM_INT_REG, RAX, 8, 0)])
    if filters:
        same(client.add_filters(*filters), 1, "the first filter")
    client.add_points(points)
    client.call(genl.GOPROBE_CMD_START)
    return client


def recorded(points, flags=0, held=0, on_call=0, on_return=0):
    """All points of each tagged function: ids are their numbers in TAGGED."""
    made = []
    for id_, f in enumerate(TAGGED):
        for p in points[f]:
            call = p.kind == CALL
            plan = 0 if call else genl.GOPROBE_NO_PLAN if p.kind == TAIL else 1
            made.append(genl.point(p.offset, p.code, id_, plan, p.kind, p.skip, p.flags | flags | (held if call else 0), p.sp_adjust,
                                   filter=on_call if call else on_return))
    return made


def word(record):
    """The frame's values, and how long the call was held, or None."""
    held = record.flags & genl.GOPROBE_RECORD_F_PENDING
    ago = struct.unpack_from("=Q", record.body)[0] if held else None
    return struct.unpack_from("=Q", record.body, 8 if held else 0)[0], ago


def jump(code, a, value):
    """The hit is rejected unless the comparison holds."""
    return [op(getattr(genl, "GOPROBE_OP_" + code), a=a, value=value, offset=1), op(genl.GOPROBE_OP_REJECT)]


def masked(reg, mask, code, value):
    """The hit passes if what is in the register, and the mask, is so."""
    return [op(genl.GOPROBE_OP_REG, a=1, b=reg), op(genl.GOPROBE_OP_IMM, a=2, value=mask), op(genl.GOPROBE_OP_AND, a=1, b=2)] + \
        jump(code, 1, value)


def run(t, *clients, goroutines=40, depth=150):
    """Have the program go; what it has counted."""
    t.send()
    want = json.loads(t.line())["functions"]
    t.finish()
    for client in clients:
        client.call(genl.GOPROBE_CMD_STOP)
    return want


def matched(records, what):
    """Calls and returns by who they are of; each return has its call, before it. [(call, return or None)]"""
    opened, pairs = {}, []
    for r in sorted(records, key=lambda r: r.time):
        key = r.id, r.goid, r.depth
        if r.kind == genl.GOPROBE_RECORD_CALL:
            if key in opened:       # left by a panic, or Goexit
                pairs.append((opened[key], None))
            opened[key] = r
        else:
            check(key in opened, "%s: a return has no call: %s", what, key)
            pairs.append((opened.pop(key), r))
    return pairs + [(call, None) for call in opened.values()]


ARGUMENTS = ("stress", "-hold", "-goroutines", 40, "-depth", 150)


@case("netlink: exactly the calls that pass a filter have their returns recorded, under panics and stacks that move")
def pairs(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target(*ARGUMENTS)
    # A tag is goroutine << 16 | depth. The first is a program, the second as simple as can be.
    every_eighth = masked(RBX, 7, "JEQ_I", 3)
    upper = [op(genl.GOPROBE_OP_REG, a=1, b=RBX)] + jump("JGE_I", 1, 20 << 16)
    with begin(t, path, [], recorded(points), target.pid) as everything, \
            begin(t, path, [every_eighth], recorded(points, PAIRED, on_call=1), target.pid) as eighth, \
            begin(t, path, [upper], recorded(points, PAIRED, on_call=1), target.pid) as half:
        want = run(target, everything, eighth, half)
        truth = matched(everything.records(), "all")
        same(len(truth), sum(want[f]["calls"] for f in TAGGED), "all calls")
        for client, passes, what in (eighth, lambda tag: tag & 7 == 3, "every eighth"), (half, lambda tag: tag >= 20 << 16, "half"):
            got = matched(client.records(), what)
            expected = [(c, r) for c, r in truth if passes(word(c)[0])]
            check(0 < len(expected) < len(truth), "%s: no test of that", what)
            same(sorted(word(c)[0] for c, _ in got), sorted(word(c)[0] for c, _ in expected), what + ": tags of calls")
            same(sorted(word(r)[0] for _, r in got if r), sorted(word(r)[0] for _, r in expected if r), what + ": results")
            for c, r in got:
                check(not r or word(r)[0] == 2 * word(c)[0] + 1, "%s: %s is the result of %s", what, r, c)
            stats = client.stats()
            same((stats[genl.GOPROBE_STAT_CALLS], stats[genl.GOPROBE_STAT_FILTERED], stats[genl.GOPROBE_STAT_UNDECIDED]),
                 (len(expected), len(truth) - len(expected), 0), what + ": the counters")
            same(stats[genl.GOPROBE_STAT_NO_CALL], sum(1 for c, r in truth if r) - sum(1 for c, r in expected if r),
                 what + ": returns of the others")


@case("netlink: calls are held until their return passes a filter, and shown with the values at the call")
def held(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target(*ARGUMENTS)
    result = masked(RAX, 0xf, "JEQ_I", 7)
    longer = [op(genl.GOPROBE_OP_DURATION, a=1)] + jump("JGE_I", 1, 1)
    limits = dict(held=(40 * 150 * 2, 56 + 8 + 8 + 8192))
    flags = dict(flags=PAIRED, held=HELD)
    with begin(t, path, [], recorded(points), target.pid) as everything, \
            begin(t, path, [result], recorded(points, on_return=1, **flags), target.pid, **limits) as some, \
            begin(t, path, [longer], recorded(points, on_return=1, **flags), target.pid, **limits) as timed:
        want = run(target, everything, some, timed)
        truth = matched(everything.records(), "all")
        for client, passes, what in (some, lambda result: result & 0xf == 7, "by result"), (timed, lambda result: True, "by duration"):
            records = client.records()
            got = matched(records, what)
            expected = [(c, r) for c, r in truth if r and passes(word(r)[0])]
            check(0 < len(expected), "%s: no test of that", what)
            same(sorted((word(c)[0], word(r)[0]) for c, r in got), sorted((word(c)[0], word(r)[0]) for c, r in expected),
                 what + ": tags and results")
            for c, r in got:
                check(c.flags & genl.GOPROBE_RECORD_F_PENDING and word(c)[1] > 0, "%s: a call was not held: %s", what, c)
                check(c.time <= r.time and word(r)[0] == 2 * word(c)[0] + 1, "%s: %s, %s", what, c, r)
            stats = client.stats()
            calls, returns = len(truth), sum(1 for c, r in truth if r)
            same({n: stats[getattr(genl, "GOPROBE_STAT_" + n)] for n in ("CALLS", "OPENED", "RELEASED", "RETURNS", "FILTERED", "NO_SPACE",
                                                                        "NO_CALL", "UNDECIDED")},
                 {"CALLS": 0, "OPENED": calls, "RELEASED": len(expected), "RETURNS": len(expected),
                  "FILTERED": returns - len(expected), "NO_SPACE": 0, "NO_CALL": 0, "UNDECIDED": 0}, what + ": the counters")
        same(sum(want[f]["returns"] for f in TAGGED), sum(1 for c, r in truth if r), "all returns")


@case("netlink: held calls that do not fit are left out and counted, and none is shown in part")
def too_few(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target(*ARGUMENTS)
    passes = [op(genl.GOPROBE_OP_DURATION, a=1)] + jump("JGE_I", 1, 0)
    with begin(t, path, [passes], recorded(points, PAIRED, HELD, on_return=1), target.pid, held=(64, 56 + 8 + 8 + 8192)) as client:
        want = run(target, client)
        got, stats = matched(client.records(), "held"), client.stats()
        calls, returns = (sum(want[f][k] for f in TAGGED) for k in ("calls", "returns"))
        opened, no_space, no_call = (stats[getattr(genl, "GOPROBE_STAT_" + n)] for n in ("OPENED", "NO_SPACE", "NO_CALL"))
        check(no_space > 0 and no_call > 0 and opened > 0, "all calls fitted, or none: the limit does not suit this test")
        same(opened + no_space, calls, "calls")
        same(stats[genl.GOPROBE_STAT_RETURNS] + no_call, returns, "returns")
        same((len(got), all(r for c, r in got)), (stats[genl.GOPROBE_STAT_RELEASED], True), "pairs")


@case("netlink: under() is true inside a call of the other function on the same goroutine, and only there")
def under(t):
    path = t.binary("stress")
    points = points_of(t, path, *STRESS)
    target = t.target(*ARGUMENTS)
    guard = 90
    filters = [[op(genl.GOPROBE_OP_UNDER, a=1, value=guard)] + jump("JEQ_I", 1, 1)]
    timed = [genl.point(p.offset, p.code, guard, p.plan, p.kind, p.skip, p.flags, p.sp_adjust, action=genl.GOPROBE_ACTION_TIME)
             for p in points["main.guard"]]
    even = [genl.point(p.offset, p.code, 0, 0, p.kind, p.skip, p.flags, p.sp_adjust, filter=1)
            for p in points["main.even"] if p.kind == CALL]
    with begin(t, path, [], recorded(points), target.pid) as everything, begin(t, path, filters, timed + even, target.pid) as client:
        run(target, everything, client)
        # By goroutine, from the truth: which calls of even are inside one of guard.
        want, opened = [], {}
        for r in sorted(everything.records(), key=lambda r: r.time):
            stack = opened.setdefault(r.goid, [])
            while stack and stack[-1].depth >= r.depth:
                stack.pop()
            if r.kind == genl.GOPROBE_RECORD_CALL:
                if r.id == 0 and any(s.id == 2 for s in stack):
                    want.append(word(r)[0])
                stack.append(r)
        got = [word(r)[0] for r in client.records() if r.id == 0]
        check(0 < len(want), "no call of even is inside one of guard: no test of that")
        same(sorted(got), sorted(want), "tags of calls")


def by_id(points, action, flags=0, on_call=0, on_return=0, functions=TAGGED):
    """Points that count or time, and make keys."""
    return [genl.point(p.offset, p.code, i, genl.GOPROBE_NO_PLAN, p.kind, p.skip, p.flags | flags, p.sp_adjust, action=action,
                       filter=on_call if p.kind == CALL else on_return)
            for i, f in enumerate(functions) for p in points[f] if action == genl.GOPROBE_ACTION_TIME or p.kind == CALL]


def words(key):
    return struct.unpack("=%dQ" % (len(key) // 8), key)


def number(tally):
    return sum(tally.buckets.values())


@case("netlink: calls are counted and timed by key, of the call or of its end, and calls whose key does not fit are in the totals")
def keys(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target(*ARGUMENTS)
    low = [op(genl.GOPROBE_OP_REG, a=1, b=RBX), op(genl.GOPROBE_OP_IMM, a=2, value=0xff), op(genl.GOPROBE_OP_AND, a=1, b=2),
           op(genl.GOPROBE_OP_KEY, a=1)]
    result = [op(genl.GOPROBE_OP_REG, a=1, b=RAX), op(genl.GOPROBE_OP_IMM, a=2, value=0x1e), op(genl.GOPROBE_OP_AND, a=1, b=2),
              op(genl.GOPROBE_OP_KEY, a=1), op(genl.GOPROBE_OP_KEY, a=2)]
    count, time = genl.GOPROBE_ACTION_COUNT, genl.GOPROBE_ACTION_TIME
    keyed = genl.GOPROBE_POINT_F_KEYED
    with begin(t, path, [], recorded(points), target.pid) as everything, \
            begin(t, path, [low], by_id(points, count, on_call=1), target.pid, keys=(1000, 8)) as counts, \
            begin(t, path, [low], by_id(points, count, on_call=1), target.pid, keys=(10, 8)) as few, \
            begin(t, path, [low], by_id(points, time, keyed, on_call=1), target.pid, keys=(1000, 16)) as times, \
            begin(t, path, [result], by_id(points, time, keyed, on_return=1), target.pid, keys=(1000, 16)) as results:
        want = run(target, everything, counts, few, times, results)
        truth = matched(everything.records(), "all")

        expected, ended, by_result = {}, {}, {}
        for c, r in truth:
            key = c.id, (word(c)[0] & 0xff,)
            expected[key] = expected.get(key, 0) + 1
            if r:
                ended[key] = ended.get(key, 0) + 1
                key = c.id, (word(r)[0] & 0x1e, 0x1e)
                by_result[key] = by_result.get(key, 0) + 1
        same({(i, words(k)): a.hits for (i, k), a in counts.keys().items()}, expected, "calls by key")
        same({(i, words(k)): number(a) for (i, k), a in times.keys().items() if number(a)}, ended, "durations by key of the call")
        same({(i, words(k)): number(a) for (i, k), a in results.keys().items()}, by_result, "durations by key of the end")
        for (i, k), a in times.keys().items():
            if number(a):
                check(a.calls == number(a) and 0 < a.min <= a.max <= a.sum, "%d %s: %s", i, k, a)

        got = few.keys()
        same(len(got), 10, "keys that fitted")
        for (i, k), a in got.items():
            same(a.hits, expected[i, words(k)], "hits of a key that fitted")
        missed = few.stats()[genl.GOPROBE_STAT_NO_KEY]
        same(sum(a.hits for a in got.values()) + missed, len(truth), "with and without a key")
        for client in counts, few:
            tallies = client.tallies()
            same([tallies[i].hits for i in range(len(TAGGED))], [want[f]["calls"] for f in TAGGED], "totals")
        for client in times, results:
            tallies = client.tallies()
            same([number(tallies[i]) for i in range(len(TAGGED))], [want[f]["returns"] for f in TAGGED], "totals")


@case("netlink: unwound stacks are those that the program reports, on stacks that grow and move")
def stacks(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target(*ARGUMENTS)
    frames = 20
    filters = [[op(genl.GOPROBE_OP_KEY_STACK, value=frames)]]
    with begin(t, path, [], recorded(points), target.pid) as everything, \
            begin(t, path, filters, by_id(points, genl.GOPROBE_ACTION_COUNT, on_call=1), target.pid, keys=(20000, 8 * 32)) as client:
        run(target, everything, client)
        # A call's stack: it, step, the call before it, step, ...
        expected, opened = {}, {}
        for r in sorted(everything.records(), key=lambda r: r.time):
            stack = opened.setdefault(r.goid, [])
            while stack and stack[-1].depth >= r.depth:
                stack.pop()
            if r.kind == genl.GOPROBE_RECORD_CALL:
                stack.append(r)
                names = [TAGGED[s.id] for s in reversed(stack)]
                # The first caller is the function that started the goroutine.
                full = [n for name in names for n in (name, "main.(*worker).step")][:-1]
                key = tuple(full[:frames])
                expected[key] = expected.get(key, 0) + 1
        # The client says that code is loaded as it lies in the file.
        places = {f: genl.elf_symbol(path, f) for f in TAGGED + ("main.(*worker).step",)}

        def name(pc):
            for f, (address, size) in places.items():
                if address <= pc < address + size:
                    return f
            return "?"
        got = {}
        for (i, key), a in client.keys().items():
            n, *pcs = words(key)
            same(n, len(pcs), "addresses in a stack")
            names = [name(pcs[0])] + [name(pc - 1) for pc in pcs[1:]]
            same(names[0], TAGGED[i], "where a stack begins")
            if "?" in names:        # from there on it is what has started the goroutine
                names = names[:names.index("?")]
            got[tuple(names)] = got.get(tuple(names), 0) + a.hits
        check(any(len(k) == frames for k in expected) and any(len(k) < frames for k in expected), "no test of long and short stacks")
        wrong = [(k, got.get(k), expected.get(k)) for k in sorted(got.keys() | expected.keys()) if got.get(k) != expected.get(k)]
        check(not wrong, "%d of %d stacks, as they are and as they should be: %s", len(wrong), len(expected), wrong[:3])


@case("netlink: held calls of a killed process free their space for others, if nothing is read")
def killed(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    calls = 0
    with begin(t, path, [[op(genl.GOPROBE_OP_REJECT)]], recorded(points, PAIRED, HELD, on_return=1), held=(1000, 56 + 8 + 8 + 8192)) as client:
        # It is looked for a second after there was no space.
        opened, end = 0, time.monotonic() + 20
        while opened <= 1000 and time.monotonic() < end:
            target = t.target("stress", "-hold", "-stay", "-goroutines", 10, "-depth", 120)
            target.send()
            want = json.loads(target.line())["functions"]
            calls += sum(want[f]["calls"] for f in TAGGED)
            target.kill()
            stats = client.stats()
            opened, no_space = stats[genl.GOPROBE_STAT_OPENED], stats[genl.GOPROBE_STAT_NO_SPACE]
            same(opened + no_space, calls, "calls")
        check(no_space > 0 and opened > 1000, "space is not used again: %d calls were held, %d found none", opened, no_space)


@case("netlink: exactly the open calls are listed while the program runs, with their held records")
def open_calls(t):
    path = t.binary("stress")
    points = points_of(t, path, *TAGGED)
    target = t.target("stress", "-hold", "-stay", "-goroutines", 25, "-depth", 120)
    # Nothing is ever let go.
    with begin(t, path, [[op(genl.GOPROBE_OP_REJECT)]], recorded(points, PAIRED, HELD, on_return=1), target.pid,
               held=(20000, 56 + 8 + 8 + 8192)) as client:
        same(client.open_calls(), [], "open calls, before there are any")
        target.send()
        want = json.loads(target.line())["functions"]
        got = client.open_calls()
        same([sum(1 for o, r in got if o.id == i) for i in range(len(TAGGED))], [want[f]["calls"] for f in TAGGED], "open calls")
        by_goroutine = {}
        for o, r in got:
            tag, ago = word(r)
            same((r.id, r.goid, r.depth, r.tgid, ago), (o.id, o.goid, o.depth, o.tgid, 0), "who made the call")
            check(o.age > 0 and o.g % 8 == 0 and o.g, "an open call: %s", o)
            by_goroutine.setdefault((o.goid, o.g), []).append((o.depth, o.age, tag))
        same(len(by_goroutine), 25, "goroutines with open calls")
        for calls in by_goroutine.values():
            tags = [tag for _, _, tag in calls]
            same(tags, list(range(max(tags), (max(tags) >> 16 << 16) - 1, -1)), "tags of a goroutine's calls, the deepest first")
            check(calls == sorted(calls, key=lambda c: -c[0]) and [c[1] for c in calls] == sorted(c[1] for c in calls),
                  "calls that are deeper are not younger: %s", calls)
        same(client.open_calls() and [(o.goid, o.depth) for o, r in client.open_calls()], [(o.goid, o.depth) for o, r in got], "a second time")
        target.kill()
        same(client.open_calls(), [], "open calls of a process that has been killed")
        stats = client.stats()
        same((stats[genl.GOPROBE_STAT_RELEASED], client.records()), (0, []), "records")


@case("netlink: points can be removed by id while the program runs, and the others stay")
def take_away(t):
    path = t.binary("counter")
    points = points_of(t, path, "main.doWork", "main.main")
    target = t.target("counter", "-each", "1ms", 0)
    count = genl.GOPROBE_ACTION_COUNT
    functions = ("main.doWork", "main.main")
    made = by_id(points, count, functions=functions) + \
        [genl.point(p.offset, p.code, 7, genl.GOPROBE_NO_PLAN, p.kind, p.skip, p.flags, p.sp_adjust, action=count) for p in points["main.doWork"]]
    with begin(t, path, [], made, target.pid) as client:
        code = target.code("main.doWork")
        check(code[0] != code[1], "there is no breakpoint")
        wait_for("calls", lambda: client.tallies()[0].hits > 10 and client.tallies()[7].hits > 10)
        same(client.del_points(0, 0, 99), len(made) - 1, "points that are left")
        counted = client.tallies()[0].hits, client.tallies()[7].hits
        wait_for("calls at the point that is left", lambda: client.tallies()[7].hits > counted[1] + 10)
        same(client.tallies()[0].hits, counted[0], "calls at the point that was taken away")
        same(client.del_points(7, 1), 0, "points that are left")
        code = target.code("main.doWork")
        same(code[0].hex(), code[1].hex(), "the code")
        check(not target.ended(), "the target ended: %s", target.rest)


@case("netlink: a session that was not started stops as well, and START then does nothing")
def breaks_before_start(t):
    path = t.binary("counter")
    made = by_id(points_of(t, path, "main.doWork"), genl.GOPROBE_ACTION_RECORD, functions=("main.doWork",))
    target = t.target("counter", 0)
    with Client() as client:
        client.new_session(target.pid, breaker=(10000 if PATIENCE == 1 else 1000000, 1))
        client.add_file(path, runtime(t))
        client.add_points(made)
        wait_for("the breaker", lambda: client.stats()[genl.GOPROBE_STAT_BROKEN])
        code = target.code("main.doWork")
        same(code[0].hex(), code[1].hex(), "the code")
        not_started = client.stats()[genl.GOPROBE_STAT_NOT_STARTED]
        check(not_started, "no hits")
        client.call(genl.GOPROBE_CMD_START)
        same(client.records(), [], "records")
        same(client.stats()[genl.GOPROBE_STAT_NOT_STARTED], not_started, "hits after it has stopped")
        check(not target.ended(), "the target ended: %s", target.rest)


@case("netlink: a session whose hits take too much time stops by itself and says so; one with enough goes on")
def breaks(t):
    path = t.binary("counter")
    points = points_of(t, path, "main.doWork")
    target = t.target("counter", 0)
    made = by_id(points, genl.GOPROBE_ACTION_COUNT, functions=("main.doWork",))
    # With a hit said to take 10 us, 1 % of a processor is worth 1,000 of them a second, fewer than a program has that
    # does nothing else, on the slowest host; on a kernel that finds faults 10 a second.
    ns = 10000 if PATIENCE == 1 else 1000000
    with begin(t, path, [], made, target.pid, breaker=(ns, 1000000)) as goes_on, \
            begin(t, path, [], made, target.pid, breaker=(ns, 1)) as client:
        wait_for("the breaker", lambda: client.stats()[genl.GOPROBE_STAT_BROKEN])
        stats = client.stats()
        check(stats[genl.GOPROBE_STAT_BROKEN] > 10**7 // ns, "it broke at %d hits a second", stats[genl.GOPROBE_STAT_BROKEN])
        hits = client.tallies()[0].hits
        check(0 < hits <= goes_on.tallies()[0].hits, "%d hits", hits)
        before = goes_on.tallies()[0].hits
        wait_for("hits of the other session", lambda: goes_on.tallies()[0].hits > before)
        same(client.tallies()[0].hits, hits, "hits after it has stopped")
        # Nothing starts again.
        client.call(genl.GOPROBE_CMD_START)
        try:
            client.add_points(made)
        except genl.Refused as refused:
            check("its hits took too much time" in refused.message, "%s", refused)
        else:
            check(False, "it can be given more points")
        before = goes_on.tallies()[0].hits
        wait_for("hits of the other session", lambda: goes_on.tallies()[0].hits > before)
        same(client.tallies()[0].hits, hits, "hits after the command to start")
        same(goes_on.stats()[genl.GOPROBE_STAT_BROKEN], 0, "the other one's breaker")
