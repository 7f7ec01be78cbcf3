# SPDX-License-Identifier: GPL-2.0
"""Breakpoints at lines, offsets and addresses: what variables and registers are there, and that programs do what they did."""

import collections
import os
import random
import re
import signal

from lib import case, check, of_kind, parse, same, short, wait_for
from cases_count import STARTED
from cases_graph import minor
from cases_trace import untraced

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../targets/places/main.go")
ROUNDS = 12
RANDOM_POINTS = 300
OWN_POINTS = 30
BATCH = 2000
# Variables that some compilers have dropped at the marked lines, although they are needed later.
NOWHERE = {"small": {"a"}, "large": {"n"}}
# The program's own words for what is at a line, as patterns of its format.
WORD = re.compile(r'([\w.\[\]]+)=("(?:[^"\\]|\\.)*"|\S+)')


def marks():
    """{name: line} of the lines that end in "// at NAME"."""
    with open(SOURCE, encoding="utf-8") as f:
        return {m[1]: n for n, m in ((n, re.search(r"// at (\w+)$", line)) for n, line in enumerate(f, 1)) if m}


def reported(lines):
    """The program's report on each place: {name: [{variable: text}]}."""
    places = collections.defaultdict(list)
    for line in lines:
        name, _, rest = line.partition(" ")
        places[name].append({k: v.strip('"') for k, v in WORD.findall(rest)})
    return places


def counted(t, rounds, *args):
    """The output of goprobectl count for one run of the program, which must print this output."""
    count = t.goprobectl("count", "-o", "json", "-b", t.binary("places"), *args)
    wait_for("counting", lambda: count.ended() or STARTED.search(count.stderr()))
    check(not count.ended(), "%s ended: %s", count, count.stderr())
    output = t.run(t.binary("places"), rounds).finish()
    count.signal(signal.SIGINT)
    return parse("\n".join(count.finish())), output


def values(event):
    return {v["name"]: str(v.get("value", "<%s>" % v.get("unavailable"))) for v in event["values"]}


def at(trace, line):
    return [e for e in of_kind(trace.events, "at") if e["line"] == line]


@case("list --vars: places have the variables that attach shows there, and both agree on unavailable ones")
def listed_variables(t):
    lines = marks()
    specs = ["places/main.go:%d" % line for line in lines.values()]
    trace = t.attach("--buffer", "16m", *specs, "--", t.binary("places"), 1).finish()
    listed = of_kind(parse("\n".join(t.goprobectl("list", "-o", "json", "-b", t.binary("places"), "--vars", *specs).finish())), "variable")
    for name, line in lines.items():
        events = at(trace, line)
        check(events, "nothing is at %s", name)
        for e in events:
            here = [v for v in listed if (v["func"], v["offset"]) == (e["func"], e["offset"])]
            want = {v["name"]: (v["type"], v.get("unavailable") == "optimized out here") for v in e["values"]}
            # A variable with a missing part is not captured.
            got = {v["name"]: (v["type"], v.get("partly", v.get("unavailable") == "optimized out here")) for v in here}
            same({k: v for k, v in got.items() if k in want}, want, "variables at '%s'" % name)
            same({v["name"] for v in here if not v.get("outer")}, set(want), "variables of the innermost call at '%s'" % name)
            check(all(any(k in v for k in ("stack", "memory", "parts", "unavailable")) for v in here), "a variable without a place: %s", here)
    check(any(v.get("moved") for v in listed) and any(v.get("outer") for v in listed), "none was moved, or is of a caller")


@case("variables at lines: arguments and locals, moved and captured ones, small ones and those of large frames")
def locals_at_lines(t):
    lines = marks()
    want = untraced(t, "places", str(ROUNDS))
    by_program = reported(want)
    for name, seen in by_program.items():
        for variable in NOWHERE.get(name, ()):
            for one in seen:
                del one[variable]
    names = {name: sorted(by_program[name][0]) for name in lines}
    specs = ["places/main.go:%d(%s)" % (lines[name], ", ".join(names[name])) for name in lines]
    trace = t.attach("--buffer", "16m", *specs, "--", t.binary("places"), ROUNDS).finish()
    same(trace.stdout, want, "the program's own output")
    same(trace.lost, 0, "losses")
    for name, line in lines.items():
        events = at(trace, line)
        same([values(e) for e in events], by_program[name], "what is at '%s', line %d" % (name, line))
        check(all(e["goid"] and e["file"].endswith("places/main.go") for e in events), "%s: %s", name, short(events))
    inlined = at(trace, lines["double"])
    same({e["func"] for e in inlined}, {"main.first", "main.second"}, "functions that have the code of main.double")
    same({e["inlined"] for e in inlined}, {"main.double"}, "whose code that is")


@case("variables at lines: only those of the source, and no part of a value is taken for another")
def parts_at_lines(t):
    with open(SOURCE, encoding="utf-8") as f:
        lines = {m[1]: n for n, m in ((n, re.search(r"// only (\w+)$", line)) for n, line in enumerate(f, 1)) if m}
    specs = ["places/main.go:%d" % line for line in [*marks().values(), *lines.values()]]
    trace = t.attach("--buffer", "16m", *specs, "--", t.binary("places"), 1).finish()
    names = {v["name"] for e in of_kind(trace.events, "at") for v in e["values"]}
    same({name for name in names if not name.isidentifier()}, set(), "names that no source has")
    # Only the length of one is used, and not the length of the other.
    for mark, name, want in (("half", "t", [0]), ("part", "c", "")):
        events = at(trace, lines[mark])
        check(events, "nothing is at %s", mark)
        for value in (v for e in events for v in e["values"] if v["name"] == name):
            if "unavailable" in value:
                check("optimized out" in value["unavailable"] or "which of its parts" in value["unavailable"], "%s", value)
                if mark == "half" and "optimized out" in value["unavailable"]:
                    same(value.get("len"), 1, "the length, which is there")
            else:
                same(value["value"], want, "%s at '%s'" % (name, mark))
    lengths = t.attach("places/main.go:%d(len(t))" % lines["half"], "--", t.binary("places"), 1).finish()
    same([values(e)["len(t)"] for e in of_kind(lengths.events, "at")], ["1"], "the length, which is there")


@case("captured variables of a closure: in lists, conditions and keys")
def captured(t):
    if minor(t) < 23:
        refused = t.goprobectl("attach", "main.capture.func1(step)", "--", t.binary("places"), 1)
        refused.finish(status=1)
        check("described since Go 1.23" in refused.stderr(), "it said: %s", refused.stderr())
        return
    want = reported(untraced(t, "places", str(ROUNDS)))["closure"]
    trace = t.attach("main.capture.func1(k, step, n)()", "--", t.binary("places"), ROUNDS).finish()
    same([{v["name"]: str(v["value"]) for v in e["args"]} for e in trace.calls], want, "what it takes, and what it has captured")
    trace = t.attach("main.capture.func1 if step % 4 == 0 && n > 5", "--", t.binary("places"), ROUNDS).finish()
    same([str(e["args"][0]["value"]) for e in trace.calls], [w["k"] for w in want if int(w["step"]) % 4 == 0 and int(w["n"]) > 5],
         "calls with such variables")
    listed = "\n".join(t.goprobectl("list", "-b", t.binary("places"), "main.capture.func1").finish())
    check(re.search(r"^main\.capture\.func1\(k int\) int captures (step int, n|n int, step) int ", listed, re.M), "list: %s", listed)
    functions = parse("\n".join(t.goprobectl("list", "-o", "json", "-b", t.binary("places"), "main.capture.func1").finish()))
    same({v["name"]: v["type"] for v in functions[0]["captured"]}, {"step": "int", "n": "int"}, "in JSON")
    keys, _ = counted(t, ROUNDS, "--by", "n", "--by", "k", "main.capture.func1")
    same({tuple(str(p["value"]) for p in k["key"]): k["calls"] for k in of_kind(keys, "count_key")},
         dict(collections.Counter((w["n"], w["k"]) for w in want)), "counts by n and k")


@case("conditions and counts of lines, by point and by value")
def conditions(t):
    line = marks()["loop"]
    places = reported(untraced(t, "places", str(ROUNDS)))
    want, bare = places["loop"], places["bare"]
    trace = t.attach("places/main.go:%d(x) if i > 0 && x %% 2 == 0" % line, "--", t.binary("places"), ROUNDS).finish()
    same([values(e)["x"] for e in at(trace, line)], [w["x"] for w in want if int(w["i"]) > 0 and int(w["x"]) % 2 == 0],
         "x where the condition holds")
    same(trace.summary["filtered"], len(want) - len(at(trace, line)), "hits that did not pass")
    count, _ = counted(t, ROUNDS, "places/main.go:%d" % line, "places/main.go:%d if x > 30" % marks()["bare"])
    same({e["func"].split()[0].split("+")[0]: e["calls"] for e in of_kind(count, "count")},
         {"main.loop": len(want), "main.hide": sum(int(w["x"]) > 30 for w in bare)}, "counts")
    keys, _ = counted(t, ROUNDS, "--by", "i", "places/main.go:%d" % line)
    same({int(k["key"][0]["value"]): k["calls"] for k in of_kind(keys, "count_key")},
         dict(collections.Counter(int(w["i"]) for w in want)), "counts by i")


@case("inlined functions: each copy is listed, and --inlined shows it with its arguments")
def inlined(t):
    listed = parse("\n".join(t.goprobectl("list", "--points", "-o", "json", "-b", t.binary("places"), "main.double").finish()))
    places = [p for p in of_kind(listed, "point") if p["point"] == "inlined"]
    same(sorted(p["caller"] for p in places), ["main.first", "main.second"], "who calls main.double")
    want = reported(untraced(t, "places", str(ROUNDS)))["double"]
    trace = t.attach("--inlined", "main.double", "--", t.binary("places"), ROUNDS).finish()
    same([values(e) for e in of_kind(trace.events, "at")], want, "arguments of main.double")
    check(all(e["begins"] and e["inlined"] == "main.double" for e in of_kind(trace.events, "at")), "%s", short(trace.events))


@case("registers: in lists, in conditions, and all of them")
def registers(t):
    line = marks()["loop"]
    trace = t.attach("--registers", "main.hide(n, $rax, $sp)()", "places/main.go:%d($sp, $pc, $rsp)" % line,
                     "main.small if $rax == 5", "--", t.binary("places"), ROUNDS).finish()
    for event in trace.calls + trace.returns + of_kind(trace.events, "at"):
        same(len(event["registers"]), 17, "registers of %s" % short(event))
    if "go1.15" not in t.label:
        for event in (e for e in trace.calls if e["func"] == "main.hide"):
            same(int(event["registers"]["rax"], 16), int(event["args"][0]["value"]), "the first argument's register")
        same([int(e["args"][0]["value"]) for e in trace.calls if e["func"] == "main.small"], [5], "calls with $rax == 5")
    for event in at(trace, line):
        got = values(event)
        same(got["$sp"], got["$rsp"], "two names of one register")
        check(event["registers"]["rip"].lstrip("0x") in got["$pc"], "the program counter: %s", event)


@case("record and replay: places of a recording print what attach would have printed")
def replay(t):
    line = marks()["loop"]
    recording = os.path.join(t.tmp, "places.rec")
    specs = ["--registers", "--inlined", "places/main.go:%d(i, name)" % line, "main.double", "main.hide(n)()"]
    want = untraced(t, "places", str(ROUNDS))
    recorder = t.goprobectl("attach", "--record", recording, *specs, "--", t.binary("places"), ROUNDS)
    same(recorder.finish(), want, "the program's own output")
    events = parse("\n".join(t.goprobectl("replay", "-o", "json", recording).finish()))
    places = reported(want)
    same([values(e) for e in of_kind(events, "at") if e["line"] == line],
         [{"i": w["i"], "name": w["name"]} for w in places["loop"]], "what is at the line")
    same([values(e) for e in of_kind(events, "at") if e.get("begins")], places["double"], "inlined calls")
    check(all(len(e["registers"]) == 17 for e in events if e["kind"] in ("at", "call", "return")), "%s", short(events))
    same(len(of_kind(events, "call")), ROUNDS, "calls of main.hide")
    text = t.goprobectl("replay", recording).finish()
    check(any(" @ main.loop+0x" in one and "main.go:%d (i=0, name=\"n1\")  {rax=0x" % line in one for one in text), "%s",
          short(text))


@case("places that can't be probed have a reason: inside of instructions, code of the runtime, lines without code")
def refusals(t):
    binary = t.binary("places")
    listed = parse("\n".join(t.goprobectl("list", "--instructions", "-o", "json", "-b", binary, "main.loop").finish()))
    starts = {p["offset"] for p in of_kind(listed, "point")}
    inside = next(o for o in range(1, 200) if o not in starts)
    for spec, why in (("main.loop+%d" % inside, "inside of an instruction"),
                      ("runtime.mcall+0", "switches or copies stacks"),
                      ("places/main.go:3", "the nearest line"),
                      ("nowhere.go:3", "no code of a file"),
                      ("main.loop+0xfffff", "there is no offset"),
                      ("*0x10", "no Go function"),
                      ("places/main.go:%d(nix)" % marks()["loop"], "no variable 'nix'"),
                      ("main.loop+0($rx)", "no register '$rx'")):
        attach = t.goprobectl("attach", spec, "--", binary, 1)
        attach.finish(status=1)
        check(why in attach.stderr(), "%s: %s", spec, attach.stderr())
    latency = t.goprobectl("latency", "main.loop+0", "--", binary, 1)
    latency.finish(status=2)
    check("a place in the code is no call" in latency.stderr(), "latency: %s", latency.stderr())


def instructions(t, binary, *patterns):
    """All that can get a breakpoint: "main.foo+0x1f"."""
    listed = parse("\n".join(t.goprobectl("list", "--instructions", "-o", "json", "-b", binary, *patterns).finish()))
    return ["%s+%#x" % (p["func"], p["offset"]) for p in of_kind(listed, "point") if "refused" not in p]


def steady(t, binary):
    """The places in the program's own code that each run reaches equally often: behind the check of the stack, which a
    function may repeat, and before the code that makes the stack grow, behind the last return."""
    listed = of_kind(parse("\n".join(t.goprobectl("list", "--instructions", "-o", "json", "-b", binary, "main.*").finish())), "point")
    last = {p["func"]: p["offset"] for p in listed if p.get("code") == "c3"}
    return ["%s+%#x" % (p["func"], p["offset"]) for p in listed if "refused" not in p and 0x30 <= p["offset"] <= last.get(p["func"], 0)]


# Code that each program runs, so that many points are hit: its own, formatting, memory, locks, the scheduler.
RANDOM_IN = ("main.*", "fmt.*", "strconv.*", "sync.*", "os.*", "internal/*", "runtime.malloc*", "runtime.newobject",
             "runtime.grow*", "runtime.conv*", "runtime.mem*", "runtime.gc*", "runtime.sched*", "runtime.park*", "runtime.find*",
             "runtime.(*m*).*")


@case("random instructions of all of a program: it computes what it did, and each hit is counted", slow=True)
def random_points(t):
    seed = int(os.environ.get("GOPROBE_SEED", "1"))
    number = int(os.environ.get("GOPROBE_POINTS", RANDOM_POINTS))
    # Points in all functions, in batches.
    every = sorted(set(instructions(t, t.binary("places"), *(RANDOM_IN if number <= RANDOM_POINTS else ()))))
    chosen = random.Random(seed).sample(every, min(number, len(every)))
    want = untraced(t, "places", "2")
    own = random.Random(seed).sample(steady(t, t.binary("places")), OWN_POINTS)
    chosen = own + [c for c in chosen if c not in own]
    some = chosen[:RANDOM_POINTS // 2]
    trace = t.attach("--buffer", "16m", "--registers", *some, "--", t.binary("places"), 2).finish()
    same(trace.stdout, want, "the program's own output, with seed %d" % seed)
    same(trace.lost, 0, "losses")
    hits = collections.Counter("%s+%#x" % (e["func"], e["offset"]) for e in of_kind(trace.events, "at"))
    check(hits, "none of the points was hit, with seed %d", seed)
    check(set(hits) <= set(some), "hits of other points: %s", short(sorted(set(hits) - set(some))))
    hit, calls = 0, collections.Counter()
    for first in range(0, len(chosen), BATCH):
        count, output = counted(t, 2, *chosen[first:first + BATCH])
        same(output, want, "the program's own output while points %d and on are counted, with seed %d" % (first, seed))
        hit += sum(e["calls"] > 0 for e in of_kind(count, "count"))
        calls.update({e["func"].split()[0]: e["calls"] for e in of_kind(count, "count")})
    check(hit, "nothing was counted, with seed %d", seed)
    check(any(hits[p] for p in own), "none of the program's own points was hit, with seed %d", seed)
    same({p: calls[p] for p in own}, {p: hits[p] for p in own}, "what was counted, and what was shown, with seed %d" % seed)
    print("# %s: seed %d: %d of %d points were hit" % (t.label, seed, hit, len(chosen)), flush=True)
