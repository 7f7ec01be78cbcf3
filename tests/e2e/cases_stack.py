# SPDX-License-Identifier: GPL-2.0
"""goprobectl stack, compared with a program whose calls are known."""

import collections
import gzip
import json
import os
import re
import signal

from cases_by import text
from cases_cond import conds, run
from cases_count import started
from lib import case, check, nothing_probed, of_kind, parse, same

TAGGED = ("main.even", "main.odd", "main.guard")


def stressed(t, *args):
    """The output of the command for a program that counts itself, and the program's own counts."""
    target = t.target("stress", "-hold", "-goroutines", 40, "-depth", 120)
    process = started(t, "stack", "-p", target.pid, "--stacks", 20000, *args)
    target.send()
    want = json.loads(target.line())["functions"]
    target.finish()
    return "\n".join(process.finish()), process.stderr(), want


def check_frames(frames):
    """A stack of at most 10 functions of the program."""
    names = [frame["func"] for frame in frames]
    own = [n for n in names if n in TAGGED or n == "main.(*worker).step"]
    # A call, step, which has made it, the call that step is of, and so on.
    check(all((n in TAGGED) == (i % 2 == 0) for i, n in enumerate(own)) and names[:len(own)] == own, "a stack: %s", names)
    check(len(own) == 10 or len(names) > len(own), "a stack ends too early: %s", names)
    for frame in frames[:len(own)]:
        check(frame["file"].endswith("/stress/main.go") and frame["line"] > 0, "a frame: %s", frame)


@case("stack: stacks are those of the calls, as many as the program itself counts, under panics and stacks that move")
def exact(t):
    out, said, want = stressed(t, "-o", "json", "--frames", 10, *TAGGED)
    stacks = of_kind(parse(out), "stack")
    for f in TAGGED:
        same(sum(s["count"] for s in stacks if s["frames"][0]["func"] == f), want[f]["calls"], "calls of " + f)
    for s in stacks:
        check_frames(s["frames"])
    same([s["count"] for s in stacks], sorted((s["count"] for s in stacks), reverse=True), "their order")
    calls = sum(want[f]["calls"] for f in TAGGED)
    check(said.strip().splitlines()[-1].startswith("%d calls by %d stacks" % (calls, len(stacks))), "the summary: %s", said)
    check(nothing_probed(), "something is still probed")


def stacks_of(lines):
    return [tuple(f["func"] for f in e["frames"]) for e in of_kind(lines, "call")]


@case("attach --stack: each call has its stack, under panics and stacks that move, with and without values, and in recordings")
def of_each_call(t):
    target = t.target("stress", "-hold", "-goroutines", 10, "-depth", 60)
    attach = t.attach("-p", target.pid, "--stack", 10, "--lossless", "--no-return", *TAGGED).attached()
    target.send()
    want = json.loads(target.line())["functions"]
    target.finish()
    calls = attach.finish().calls
    same(len(calls), sum(want[f]["calls"] for f in TAGGED), "calls")
    for e in calls:
        same(e["frames"][0]["func"], e["func"], "the innermost function")
        check_frames(e["frames"])
    path = os.path.join(t.tmp, "stacks.rec")
    program = ("--", t.binary("trees"), 1)
    options = ("-o", "json", "--stack", 4, "--no-return")
    lines = [parse("\n".join(line for line in t.goprobectl("attach", *options, what, *program).finish() if line.startswith("{")))
             for what in ("main.leaf", "main.leaf()")]
    t.goprobectl("attach", "--record", path, "--stack", 4, "--no-return", "main.leaf", *program).finish()
    lines.append(parse("\n".join(t.goprobectl("replay", "-o", "json", path).finish())))
    for found in lines:
        same(sorted(stacks_of(found)), sorted(stacks_of(lines[0])), "stacks without values, or of a recording")
    check(("main.leaf", "main.risky", "main.guard", "main.root") in stacks_of(lines[0]), "stacks: %s", stacks_of(lines[0]))
    same([e["truncated"] for e in of_kind(lines[0], "call") if len(e["frames"]) == 4], [True] * sum(len(s) == 4 for s in stacks_of(lines[0])), "truncated")
    text = "\n".join(t.goprobectl("attach", "--stack", 4, "--events", 1, "main.leaf", *program).finish())
    check(re.search(r"> main\.leaf\(n=\d+\)\n    main\.leaf  .*main\.go:\d+\n    main\.", text), "as text: %s", text)


@case("stack: folded and pprof have the same calls, with a condition, and report what it leaves out")
def formats(t):
    out, said, want = stressed(t, "-o", "folded", "main.even if tag % 16 == 8")
    lines = [line.rpartition(" ") for line in out.splitlines()]
    check(lines and all(stack.endswith("main.even") and ";main.(*worker).step;" in stack for stack, _, _ in lines), "folded: %s", out[:400])
    passed = sum(int(n) for _, _, n in lines)
    check(0 < passed < want["main.even"]["calls"], "%d of %d calls passed", passed, want["main.even"]["calls"])
    check("%d calls did not pass the condition" % (want["main.even"]["calls"] - passed) in said, "the summary: %s", said)

    path = os.path.join(t.tmp, "stacks.pb.gz")
    out, said, want = stressed(t, "-o", "pprof", "--output", path, *TAGGED)
    same(out, "", "what goes to standard output")
    with gzip.open(path) as f:
        profile = f.read()
    for name in TAGGED + ("main.(*worker).step", "calls", "count"):
        check(name.encode() in profile, "the profile has no %s", name)
    os.unlink(path)


@case("stack: the creator of a goroutine is shown and distinguishes stacks; flame graphs and profiles have it on request")
def creator(t):
    target = t.target("waits", "-short", 3)
    target.line()
    path = os.path.join(t.tmp, "created.pb.gz")
    own, *short = (started(t, "stack", "-p", target.pid, *args) for args in (
        ("-o", "json", "time.Sleep"), ("main.short",), ("-o", "folded", "--creator", "main.short"), ("-o", "folded", "main.short"),
        ("-o", "pprof", "--creator", "--output", path, "main.short")))
    # Somebody who came later has seen some, of each kind: so have they.
    for calls in "time.Sleep if ns == 5000000", "time.Sleep if ns == 1000000", "main.short":
        t.attach("--no-return", "--events", 3, "-p", target.pid, calls).finish()
    by = {"main.onSleep": set(), "main.onShort": set()}
    for s in of_kind(parse("\n".join(interrupted(own))), "stack"):
        names = [f["func"] for f in s["frames"]]
        check(s["created_by"]["file"].endswith("/waits/main.go") and s["created_by"]["line"] > 0, "who has created it: %s", s)
        [by[n].add(s["created_by"]["func"]) for n in by if n in names]
    same(by, {"main.onSleep": {"main.start"}, "main.onShort": {"main.main"}}, "who has created whom")
    out, with_creator, without, _ = map(interrupted, short)
    check(any(line.startswith("    created by main.main  /") and line.rpartition(":")[2].isdigit() for line in out), "as text: %s", out)
    for lines, root in ((with_creator, "created_by_main.main"), (without, "runtime.goexit")):
        same({line.split(";")[0] for line in lines}, {root}, "the root of folded stacks")
    with gzip.open(path) as f:
        check(b"created by main.main" in f.read(), "the profile does not have the creator of the goroutine")
    os.unlink(path)
    target.kill()
    # The main goroutine has no go statement in the source.
    target = t.target("counter", "-each", "1ms", 0)
    process = started(t, "stack", "-p", target.pid, "-o", "json", "main.doWork")
    t.attach("--no-return", "--events", 3, "-p", target.pid, "main.doWork").finish()
    stacks = of_kind(parse("\n".join(interrupted(process))), "stack")
    check(stacks and all("created_by" not in s for s in stacks), "the main goroutine: %s", stacks)
    target.kill()


def interrupted(process):
    process.signal(signal.SIGINT)
    return process.finish()


@case("stack --by: calls are counted by value and stack, as JSON, text and folded stacks, with a key at the call or at the return")
def by_value(t):
    target = conds(t)
    values = ("--by", "s", "--by", "ok")
    as_json, as_text, folded, failed, short = (started(t, "stack", "-p", target.pid, *args) for args in (
        ("-o", "json", *values, "main.step"), (*values, "--top", 1, "main.step"), ("-o", "folded", *values, "main.step if i > 250"),
        ("-o", "json", "--by", "failed", "main.step"), ("-o", "json", "--frames", 2, "--by", "s", "main.step")))
    run(target)
    own = of_kind(parse("\n".join(interrupted(as_json))), "stack")
    want = collections.Counter((text(i), i % 3 == 0) for i in range(500))
    got = collections.Counter()
    for s in own:
        same([p["expr"] for p in s["key"]], ["s", "ok"], "expressions")
        same(s["frames"][0]["func"], "main.step", "the innermost function")
        got[tuple(p["value"] for p in s["key"])] += s["count"]
    same(got, want, "calls by value")
    lines = interrupted(as_text)
    check(re.match(r'\d+ calls, \d+\.\d %, s=".*", ok=(true|false)$', lines[0]) and lines[1].startswith("    main.step  /"), "as text: %s", lines[:3])
    got = collections.Counter()
    for line in interrupted(folded):
        stack, _, n = line.rpartition(" ")
        check(stack.endswith(";main.step"), "a folded stack: %s", line)
        got[tuple(stack.split(";")[:2])] += int(n)
    same(got, collections.Counter(('s="%s"' % text(i).replace(" ", "_"), "ok=" + str(i % 3 == 0).lower()) for i in range(251, 500)), "roots")
    got = collections.Counter(s["key"][0]["value"] for s in of_kind(parse("\n".join(interrupted(failed))), "stack") for _ in range(s["count"]))
    same(got, collections.Counter("*errors.errorString" if i % 5 == 0 else None for i in range(500) if i % 7 != 3), "calls by a result")
    stacks = of_kind(parse("\n".join(interrupted(short))), "stack")
    check(stacks and all(len(s["frames"]) == 2 and s["truncated"] for s in stacks), "stacks of two functions: %s", stacks)
    check(nothing_probed(), "something is still probed")


@case("stack --weight: stacks have the durations of the calls that return, with keys and conditions, and as folded stacks")
def by_time(t):
    target = conds(t)
    returned = [i for i in range(500) if i % 7 != 3]
    slow = [i for i in returned if i % 100 == 52]       # these sleep for 15 ms
    timed, keyed, chosen, folded, both = (started(t, "stack", "-p", target.pid, *args) for args in (
        ("-o", "json", "--weight", "time", "main.step"), ("-o", "json", "--weight", "time", "--by", "s", "main.step"),
        ("-o", "json", "--weight", "time", "main.step if i > 250 && failed != nil"), ("-o", "folded", "--weight", "time", "main.step"),
        ("-o", "json", "main.step if i > 250 && failed != nil")))
    run(target)
    stacks = of_kind(parse("\n".join(interrupted(timed))), "stack")
    same(sum(s["count"] for s in stacks), len(returned), "calls that returned")
    check(sum(s["sum_ns"] for s in stacks) >= len(slow) * 15000000, "their time: %s", stacks)
    check("%d calls ended without returning" % (500 - len(returned)) in timed.stderr(), "the summary: %s", timed.stderr())
    for s in stacks:
        same((s["mean_ns"], s["frames"][0]["func"]), (s["sum_ns"] // s["count"], "main.step"), "a stack")
    same([s["sum_ns"] for s in stacks], sorted((s["sum_ns"] for s in stacks), reverse=True), "their order")
    got = collections.Counter()
    for s in of_kind(parse("\n".join(interrupted(keyed))), "stack"):
        got[s["key"][0]["value"]] += s["count"]
    same(got, collections.Counter(map(text, returned)), "calls by value")
    failed = sum(i > 250 and i % 5 == 0 for i in returned)
    for process in chosen, both:
        stacks = of_kind(parse("\n".join(interrupted(process))), "stack")
        same(sum(s["count"] for s in stacks), failed, "calls with a condition of both sides")
    lines = [line.rpartition(" ") for line in interrupted(folded)]
    check(lines and all(stack.endswith(";main.step") for stack, _, _ in lines), "folded: %s", lines)
    check(sum(int(ns) for _, _, ns in lines) >= len(slow) * 15000000, "folded: %s", lines)
    check(nothing_probed(), "something is still probed")


@case("stack: stacks beyond the limit are reported")
def beyond(t):
    target = t.target("stress", "-hold", "-goroutines", 40, "-depth", 120)
    process = started(t, "stack", "-p", target.pid, "--stacks", 5, "-o", "json", *TAGGED)
    target.send()
    want = json.loads(target.line())["functions"]
    target.finish()
    stacks = of_kind(parse("\n".join(process.finish())), "stack")
    same(len(stacks), 5, "stacks that fitted")
    missed = sum(want[f]["calls"] for f in TAGGED) - sum(s["count"] for s in stacks)
    check("%d calls beyond the limit of stacks" % missed in process.stderr(), "the summary: %s", process.stderr())
    process = t.goprobectl("stack", "main.foo", "--", t.binary("example"))
    process.finish()
    check("1 call by 1 stack in " in process.stderr(), "one call: %s", process.stderr())


def by_allocator(stacks, key):
    """The sums of @key by the function of the program that has asked for the allocation."""
    sums = collections.Counter()
    for s in stacks:
        asked = next(f["func"] for f in s["frames"] if not re.fullmatch(r"runtime\.(makeslice|newobject|mallocgc.*)", f["func"]))
        if asked.startswith("main.new"):
            sums[asked] += s[key]
    return sums


@case("stack --weight: bytes by stack are those of the program's own profile of allocations; the recipe 'alloc' has each once")
def allocated(t):
    target = t.target("allocs")
    target.send()
    before = json.loads(target.line())
    process = started(t, "run", "alloc", "-p", target.pid, "-o", "json", "--max-load", "off", "--weight", "size", "--top", 100000)
    target.send()
    want = {f: n - before[f] for f, n in json.loads(target.line()).items()}
    process.signal(signal.SIGINT)
    stacks = of_kind(parse("\n".join(process.finish())), "stack")
    same(dict(by_allocator(stacks, "sum")), want, "bytes")
    check("shown as 0" not in process.stderr(), "what is said: %s", process.stderr())
    check(all(s["expr"] == "size" for s in stacks), "the expression: %s", stacks[0])
    same([s["sum"] for s in stacks], sorted((s["sum"] for s in stacks), reverse=True), "their order")
    target.finish()
