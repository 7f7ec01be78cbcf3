# SPDX-License-Identifier: GPL-2.0
"""Call trees, compared with a program whose tree is known."""

import json
import os
import re
import signal

from lib import GOPROBECTL, Attach, Process, case, check, of_kind, parse, same, wait_for

FUNCTIONS = "/^main\\.(%s)$/"
TRACED = "root|leaf|slow|fib|guard|risky|boom|worker|deeper|inner|tardy|served"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../targets/trees/main.go")


class Graph(Attach):
    """goprobectl graph. Trees go to a file."""

    def __init__(self, test, *args, json=True):
        self.output = os.path.join(test.tmp, "trees-%d" % len(test.started))
        argv = [GOPROBECTL, "graph", "--output", self.output] + (["-o", "json"] if json else [])
        Process.__init__(self, test, argv + [str(a) for a in args])

    def text(self):
        """The output, after the command has ended."""
        Process.finish(self)
        with open(self.output, encoding="utf-8") as f:
            return f.read()

    def trees(self):
        """Its trees, and the summary."""
        events = parse(self.text())
        summary = of_kind(events, "summary")
        check(len(summary) == 1 and events[-1] is summary[0], "no summary at the end")
        return of_kind(events, "call_tree"), summary[0]


def graph(t, *args, **kwargs):
    return Graph(t, *args, **kwargs)


def line_of(comment):
    with open(SOURCE, encoding="utf-8") as f:
        return next(i for i, line in enumerate(f, 1) if line.rstrip().endswith("// " + comment))


def minor(t):
    return int(re.match(r"go1\.(\d+)", t.label).group(1))


def shape(call, goid=None):
    """A call as text: what was called in it, "go" before what another goroutine called first, "!" behind what did not return."""
    text = ("go " if goid is not None and call["goid"] != goid else "") + call["func"].removeprefix("main.")
    text += {"return": "", "unwound": "!", "panic": "!", "goexit": "!", "open": "~", "unseen": "?", "jump": "^"}[call["ended"]]
    if call["calls"]:
        text += "(%s)" % " ".join(shape(c, call["goid"]) for c in call["calls"])
    return text


ROOT = ("root(leaf slow fib(fib(fib fib) fib) guard(risky!(leaf boom!)) "
        "go worker(go deeper(leaf) inner(leaf)) leaf)")


def every(call):
    yield call
    for c in call["calls"]:
        yield from every(c)


def check_times(call):
    """Calls below happen within this one, on the same goroutine; self is the rest."""
    for c in every(call):
        inner = [k for k in c["calls"] if k["goid"] == c["goid"]]
        same(c["self_ns"], c["duration_ns"] - sum(k["duration_ns"] for k in inner), "self_ns of %s" % c["func"])
        check(c["self_ns"] >= 0, "%s: less than nothing: %s", c["func"], c["self_ns"])
        times = [k["time_ns"] for k in c["calls"]]
        same(times, sorted(times), "order below %s" % c["func"])
        for k in inner:
            check(c["time_ns"] <= k["time_ns"] <= k["time_ns"] + k["duration_ns"] <= c["time_ns"] + c["duration_ns"],
                  "%s is not within %s", k["func"], c["func"])


def check_origin(call, parent, func, comment):
    by = call["started_by"]
    same((by["goid"], by["func"], os.path.basename(by["file"]), by["line"]), (parent, func, "main.go", line_of(comment)),
         "who started %s" % call["func"])


@case("graph: the tree of a known program, across go statements, with times, arguments and results")
def known_tree(t):
    trees, summary = graph(t, FUNCTIONS % TRACED, "--", t.binary("trees"), 3).trees()
    same([shape(r["call"]) for r in trees], [ROOT, "tardy(leaf)", "served(leaf)"] * 3, "trees")
    same((summary["trees"], summary["tree_calls"], summary["lost"], summary["left_out"]), (9, 3 * 22, 0, {}), "summary")
    same((summary["unknown"], summary["outside"], summary["open"]), (0, 0, 0), "what is in no tree")
    for i, (root, tardy, served) in enumerate(trees[k:k + 3] for k in (0, 3, 6)):
        check_times(root["call"])
        same((root["goid"], root["call"]["started_by"], root["left_out"]), (1, None, 0), "whose root is")
        by_name = {c["func"]: c for c in every(root["call"])}
        check_origin(by_name["main.worker"], 1, "main.root", "worker starts")
        check_origin(by_name["main.deeper"], by_name["main.worker"]["goid"], "main.worker", "deeper starts")
        check_origin(tardy["call"], 1, "main.root", "tardy starts")
        check_origin(served["call"], 1, "main.main", "served starts")
        same([a["value"] for a in root["call"]["args"] if a["name"] == "n"], [i], "argument of root")
        same([r["value"] for r in root["call"]["results"]], [i + 1], "result of root")
        check(by_name["main.slow"]["duration_ns"] >= 2000000, "slow is too fast: %s", by_name["main.slow"])
        check("results" not in by_name["main.boom"], "results of what panicked")
        for name in "main.boom", "main.risky":
            same((by_name[name]["ended"], by_name[name]["panic"]["value"]["value"]), ("panic", i + 1), "how %s ended" % name)


def total(functions, key):
    return sum(f[key] for f in functions.values())


@case("attach and graph: when a process executes a program, open calls are dropped, and stand above none of that program's")
def executes(t):
    size = "-goroutines 20 -depth 100"
    target = t.target("stress", "-hold", "-stay", *size.split())
    what = FUNCTIONS % "even|odd|guard|note"
    attach = t.attach("--depth", "0", "--buffer", "16M", "-p", target.pid, what).attached()
    trees = graph(t, "--depth", 1000, "--buffer", "16M", "-p", target.pid, what).attached()
    target.send()
    first = json.loads(target.line())["functions"]
    target.send("-hold " + size)
    same(target.line(), "ready %d" % target.pid, "what the program says that is executed")
    target.send()
    second = json.loads(target.line())["functions"]
    target.finish()
    trace = attach.finish()
    same((trace.lost, trace.summary["doubtful"]), (0, 0), "lost, doubtful")
    same(len(trace.calls), total(first, "calls") + total(second, "calls"), "calls")
    same(len(trace.returns), total(second, "returns"), "returns")
    same([e for e in trace.returns if e["duration_ns"] is None], [], "returns without a call")
    same(trace.summary["gone"], total(first, "calls"), "calls that are gone")
    same(trace.summary["unwound"] + trace.summary["open"], total(second, "unwound"), "calls that were unwound")
    got, summary = trees.trees()
    calls = [c for r in got for c in every(r["call"])]
    same([c for c in calls if c["ended"] == "unseen"], [], "calls whose end was not seen")
    same((summary["gone"], summary["cut_short"], summary["unknown"]), (total(first, "calls"), 0, 0), "of the summary")
    same(sum(c["ended"] == "open" for c in calls) - total(first, "calls"), summary["open"], "open calls, and those that were dropped")


@case("graph: as text")
def as_text(t):
    text = graph(t, FUNCTIONS % TRACED, "--", t.binary("trees"), 1, json=False).text()
    lines = text.splitlines()
    same(lines[:2], ["     TOTAL      SELF  CALL", "goroutine 1"], "the beginning")
    column = r" *[0-9.]+(?:ns|us|ms|s)"
    got = [re.sub("^%s%s" % (column, column), "", line) for line in lines[2:14]]
    check(re.match(r"  main\.root\(n=0, begin=.*\) => \(1\)$", got[0]), "root: %s", got[0])
    rest = [re.sub(r"\(.*\)$", "", line) if "guard" in line else line for line in got[1:]]
    want = ["  ├─ main.leaf(n=0) => (1)", "  ├─ main.slow(n=0) => (0)", "  ├─ main.fib(n=3) => (2)",
            "  │  ├─ main.fib(n=2) => (1)", "  │  │  ├─ main.fib(n=1) => (1)", "  │  │  └─ main.fib(n=0) => (0)",
            "  │  └─ main.fib(n=1) => (1)", "  ├─ main.guard", "  │  └─ main.risky(n=0) (did not return: panic: 1)",
            "  │     ├─ main.leaf(n=0) => (1)", "  │     └─ main.boom(n=1) (did not return: panic: 1)"]
    same(rest, want, "lines")
    check(re.search(r"├─ goroutine \d+, main\.go:%d: main\.worker\(n=0\)" % line_of("worker starts"), text), "worker: %s", text)
    check(re.search(r"^goroutine \d+, started by goroutine 1 at main\.go:%d \(main\.root\)$" % line_of("tardy starts"), text, re.M),
          "the tree of what began late: %s", text)


@case("graph: of a running program, with the creators of goroutines that run already")
def running(t):
    target = t.target("trees", "-hold", 2)
    g = graph(t, "-p", target.pid, FUNCTIONS % TRACED).attached()
    target.send()
    target.line()
    g.signal(signal.SIGINT)
    trees, summary = g.trees()
    same([shape(r["call"]) for r in trees], [ROOT, "tardy(leaf)", "served(leaf)"] * 2, "trees")
    by = trees[2]["call"]["started_by"]
    # Since 1.21 goroutines know their parents, and since 1.17 they are in a register.
    if minor(t) < 17:
        same(by, None, "who started served")
    else:
        same((by["goid"], by["func"], by["line"]), (1 if minor(t) >= 21 else None, "main.main", line_of("served starts")),
             "who started served")
    same(trees[0]["call"]["started_by"], None, "who started main")
    same(summary["lost"], 0, "lost")


@case("graph: calls made before are in no tree, and calls open at the end are shown")
def ends(t):
    target = t.target("counter", "-hold", "-each", "1ms", 0)
    g = graph(t, "-p", target.pid, "main.doWork", "main.main", "time.Sleep").attached()
    target.send()
    wait_for("both functions' trees", lambda: all(f in open(g.output).read() for f in ("main.doWork", "time.Sleep")))
    wait_for("more of them", lambda: open(g.output).read().count("\n") > 4)
    g.signal(signal.SIGINT)
    trees, summary = g.trees()
    same({shape(r["call"]) for r in trees[:-1]}, {"doWork", "time.Sleep"}, "trees")
    check(trees[-1]["call"]["ended"] in ("open", "return"), "the last one: %s", trees[-1])
    same(summary["open"], sum(c["ended"] == "open" for r in trees for c in every(r["call"])), "open calls")


@case("graph: strings, errors and what is asked for are shown without --follow, and other references name that option")
def texts(t):
    out = graph(t, "fmt.Fprintf", "--", t.binary("example"), json=False).text()
    check('format="x=%d, y=%d, z=%d\\n"' in out, "a string: %s", out)
    check("[]any<beyond --follow> (len 3)" in out or "[]interface {}<beyond --follow> (len 3)" in out, "a slice: %s", out)
    asked = graph(t, "fmt.Fprintf(a)", "--", t.binary("example"), json=False).text()
    check(re.search(r"a=\[\](any|interface {}){\d+, \d+, \d+}", asked), "a slice that is asked for: %s", asked)


@case("graph: a long panic that ends several calls is shown at the first call, and named at the others")
def same_panic(t):
    text = graph(t, "main.catch", "main.between", "main.raise", "--", t.binary("panics"), 1, json=False).text()
    check(re.search(r"main\.between\(how=4\) \(did not return: panic: .*index out of range \[4\].*\)\n.*"
                    r"main\.raise\(how=4\) \(did not return: the same panic\)", text), "an index: %s", text)
    check(re.search(r'main\.raise\(how=1\) \(did not return: panic: "words"\)', text), "a short one: %s", text)


@case("graph --depth: calls beyond are counted, and times stay the same")
def levels(t):
    trees, _ = graph(t, "--depth", 2, FUNCTIONS % TRACED, "--", t.binary("trees"), 1).trees()
    root = trees[0]["call"]
    same(shape(root), "root(leaf slow fib guard go worker leaf)", "two levels")
    same([c.get("calls_below", 0) for c in root["calls"]], [0, 0, 4, 3, 4, 0], "calls below")
    same(root["self_ns"], root["duration_ns"] - sum(c["duration_ns"] for c in root["calls"] if c["goid"] == 1), "self_ns")
    check(root["calls"][3]["self_ns"] < root["calls"][3]["duration_ns"], "what is below took no time")


@case("graph --calls: a full tree leaves calls out, and says how many")
def full(t):
    g = graph(t, "--calls", 5, FUNCTIONS % TRACED, "--", t.binary("trees"), 1)
    trees, summary = g.trees()
    # Goroutines that a left-out call started have their own trees.
    same({shape(r["call"]) for r in trees}, {"root(leaf slow fib(fib))", "deeper(leaf)", "tardy(leaf)", "served(leaf)"}, "trees")
    same(summary["left_out"]["main.fib"], 3, "fib")
    same(summary["tree_calls"] + sum(summary["left_out"].values()), 22, "kept and left out")
    same(sum(summary["left_out"].values()), sum(r["left_out"] for r in trees), "left out, by function and by tree")
    text = graph(t, "--calls", 5, FUNCTIONS % TRACED, "--", t.binary("trees"), 1, json=False)
    check("more calls are left out: the tree was full (--calls)" in text.text(), "not said in the tree")
    check("3 calls of main.fib left out" in text.stderr(), "not said at the end: %s", text.stderr())


@case("graph: 50 goroutines, 200 deep, panicking: each call once in some tree, nothing lost")
def stress(t):
    g = graph(t, "--calls", 1000000, "--depth", 1000, "--buffer", "16M", "--lossless",
              FUNCTIONS % "even|odd|guard|note", "--", t.binary("stress"), "-goroutines", 50, "-depth", 200)
    want = parse(g.drain()[-1])[0]
    trees, summary = g.trees()
    got = {}
    for tree in trees:
        for c in every(tree["call"]):
            counts = got.setdefault(c["func"], {"calls": 0, "returns": 0})
            counts["calls"] += 1
            counts["returns"] += c["ended"] == "return"
    same(got, {f: {k: n[k] for k in ("calls", "returns")} for f, n in want["functions"].items() if n["calls"]}, "calls and returns")
    same((summary["lost"], summary["left_out"]), (0, {}), "lost")


def paths(call, above=()):
    """Each path of a tree as --merge has it, and the call at its end."""
    yield above + (call["func"],), call
    for c in call["calls"]:
        yield from paths(c, above + (call["func"],))


@case("graph: --merge and --flat count and time the calls of a program whose tree is known")
def merged(t):
    calls = ["--", t.binary("trees"), 3]
    trees, _ = graph(t, FUNCTIONS % TRACED, *calls).trees()
    want = {}
    for r in trees:
        for path, _ in paths(r["call"]):
            want[path] = want.get(path, 0) + 1
    lines = parse(Graph(t, "--merge", FUNCTIONS % TRACED, *calls).text())
    got = of_kind(lines, "call_path")
    same({tuple(p["path"]): p["calls"] for p in got}, want, "calls by path")
    same({p["path"][-1] for p in got if p.get("started")}, {"main.worker", "main.deeper"}, "first calls of goroutines")
    for p in got:
        above = [q for q in got if q["path"] == p["path"][:-1]]
        check(p["self_ns"] <= p["sum_ns"], "more time in itself than in all: %s", p)
        check(p.get("started") or not above or p["sum_ns"] <= above[0]["sum_ns"], "%s takes longer than the path above", p)
    funcs = of_kind(parse(Graph(t, "--flat", FUNCTIONS % TRACED, *calls).text()), "function_time")
    by_name = {}
    for path, n in want.items():
        by_name[path[-1]] = by_name.get(path[-1], 0) + n
    same({f["func"]: f["calls"] for f in funcs}, by_name, "calls by function")
    same([f["self_ns"] for f in funcs], sorted((f["self_ns"] for f in funcs), reverse=True), "order of functions")
    text = Graph(t, "--flat", FUNCTIONS % TRACED, *calls, json=False).text()
    check(re.search(r"^ +SELF +SELF % +TOTAL +CALLS +FUNCTION$", text, re.M), "no heads: %s", text)
    folded = Graph(t, "-o", "folded", FUNCTIONS % TRACED, *calls, json=False).text()
    same({line.rpartition(" ")[0] for line in folded.splitlines()}, {";".join(p) for p in want}, "folded paths")
