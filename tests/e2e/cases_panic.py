# SPDX-License-Identifier: GPL-2.0
"""Calls that end without returning, compared with a program that counts them itself."""

import collections
import os
import signal

from cases_graph import every, graph
from lib import case, check, parse, same, wait_for

FUNCTIONS = ("between|raise|catch|deep|bottom|inner|shield|nested|again|rethrow|outer|cleanup|leave|leaveTwice|leavePanic|"
             "thread|wait|die")
PATTERN = "/^main\\.(%s)$/" % FUNCTIONS


def described(event):
    """How a call ended, as the program reports it."""
    panic = event.get("panic", {}).get("value") or {}
    value = panic.get("value")
    plain = panic.get("type") in ("int", "string")
    return (event["func"], event["ended"], panic.get("type"), value if plain else None, panic.get("message"))


def expected(report, known):
    """As described() counts; messages only where goprobe knows what Error() returns."""
    return collections.Counter({
        (e["func"], e["ended"], e.get("type"), e.get("value"), e.get("message") if known(e.get("type")) else None): e["count"]
        for e in report["ended"]})


def pared(counter, report):
    """Without messages that the program does not give."""
    reported = {e.get("type") for e in report["ended"] if "message" in e}
    got = collections.Counter()
    for (func, ended, kind, value, message), n in counter.items():
        got[(func, ended, kind, value, message if kind in reported else None)] += n
    return got


def compare(report, events):
    got = collections.Counter(described(e) for e in events)
    with_message = {kind for (_, _, kind, _, message) in got if message is not None}
    want = expected(report, lambda kind: kind in with_message)
    same(dict(pared(got, report) - want), {}, "ends that the program does not report")
    same(dict(want - pared(got, report)), {}, "ends that were not seen")


@case("panics: each call that does not return says which panic ended it, or Goexit, as often as the program counts")
def counted(t):
    attach = t.attach("--buffer", "8m", PATTERN, "--", t.binary("panics"), 3)
    trace = attach.finish()
    report = parse(trace.stdout[-1])[0]
    same(trace.lost, 0, "lost")
    check(not any(e["func"].startswith("runtime.") for e in trace.events if "func" in e), "events of hidden points")
    check("tracing %d functions" % len(FUNCTIONS.split("|")) in trace.stderr, "hidden functions are counted: %s", trace.stderr)
    same(collections.Counter(e["func"] for e in trace.calls), collections.Counter(report["calls"]), "calls")
    same(collections.Counter(e["func"] for e in trace.returns), collections.Counter(report["returns"]), "returns")
    compare(report, trace.unwound)
    same(trace.summary["open"], 0, "open calls")


@case("panics: as text")
def as_text(t):
    text = t.attach(PATTERN, "--", t.binary("panics"), 1, json=False).finish().text
    for line in ("main.inner did not return: panic: \"b\"; called ", "main.leave did not return: Goexit; called ",
                 "main.deep did not return: panic: 1; called ", "main.nested did not return: panic: \"a\"; called "):
        check("! " + line in text, "%r is not there: %s", line, [x for x in text.splitlines() if "! " in x][:30])


@case("panics: nobody recovers: the calls of that goroutine end by the panic, others are open")
def fatal(t):
    trace = t.attach(PATTERN, "--", t.binary("panics"), "-die", 0).finish(status=2)
    same([described(e) for e in trace.unwound], [("main.die", "panic", "string", "the end", None)], "ends")
    same(trace.summary["open"], 1, "open calls")


@case("panics: a recording shows the same")
def recorded(t):
    path = os.path.join(t.tmp, "recording")
    stdout = t.attach("--record", path, "--buffer", "8m", PATTERN, "--", t.binary("panics"), 1, json=False, output=False).finish().stdout
    events = parse("\n".join(t.goprobectl("replay", "-o", "json", path).finish()))
    compare(parse(stdout[-1])[0], [e for e in events if e["kind"] == "unwound"])


@case("panics: in trees")
def in_trees(t):
    g = graph(t, "--lossless", "--depth", 400, PATTERN, "--", t.binary("panics"), 1)
    report = parse(g.drain()[-1])[0]
    trees, _ = g.trees()
    compare(report, [c for r in trees for c in every(r["call"]) if c["ended"] not in ("return", "open")])
    text = graph(t, PATTERN, "--", t.binary("panics"), 1, json=False).text()
    check("main.inner() (did not return: panic: \"b\")" in text, "text: %s", text)


@case("panics: if a spec names gopanic and Goexit, they are shown, and ends of calls still have panics")
def visible(t):
    trace = t.attach("runtime.gopanic", "runtime.Goexit", "main.inner", "main.leave", "--", t.binary("panics"), 1).finish()
    panics = [e for e in trace.calls if e["func"] == "runtime.gopanic"]
    check(len(panics) > 10, "%d panics", len(panics))
    ends = {(e["func"], e["ended"], (e.get("panic", {}).get("value") or {}).get("value")) for e in trace.unwound
            if e["func"].startswith("main.")}
    same(ends, {("main.inner", "panic", "b"), ("main.leave", "goexit", None)}, "ends")


@case("panics: with --no-return nothing else is probed")
def calls_only(t):
    target = t.target("counter", "-hold", 0)
    for options, probed in ((), True), (("--no-return",), False):
        attach = t.attach(*options, "-p", target.pid, "main.doWork").attached()
        same(target.probed("runtime.gopanic"), probed, "a breakpoint in gopanic with %s" % (options,))
        attach.signal(signal.SIGINT)
        attach.finish()
        wait_for("the breakpoints going", lambda: not target.patched())


def ended_by_panic(report, functions):
    return collections.Counter({
        (e["func"], e["ended"], e.get("type"), e.get("value"), None): e["count"]
        for e in report["ended"] if e["ended"] == "panic" and e["func"] in functions})


def without_message(events):
    return collections.Counter(described(e)[:4] + (None,) for e in events)


PANICKED = "/^main\\.(between|raise|deep|inner|nested|again|rethrow|leave|leaveTwice|leavePanic|cleanup|shield)$/"
FUNCS = {"main." + f for f in "between raise deep inner nested again rethrow leave leaveTwice leavePanic cleanup shield".split()}


@case("panics: with the condition panicked exactly the calls that a panic ends are shown, and say which")
def panicked(t):
    attach = t.attach("--buffer", "8m", PANICKED + " if panicked", "--", t.binary("panics"), 3)
    trace = attach.finish()
    report = parse(trace.stdout[-1])[0]
    same(trace.lost, 0, "lost")
    want = ended_by_panic(report, FUNCS)
    got = without_message(trace.unwound)
    same(dict(got - want), {}, "ends that the program does not report")
    same(dict(want - got), {}, "ends that were not seen")
    same(len(trace.calls), sum(want.values()), "calls")
    same((len(trace.returns), trace.summary["open"]), (0, 0), "returns, and open calls")
    returns = sum(n for f, n in report["returns"].items() if f in FUNCS)
    same(trace.summary["filtered"], returns, "returns that did not pass")


@case("panics: conditions with panicked, together with arguments, results and negated")
def panicked_mixed(t):
    options = ("--buffer", "8m", "--held", "20000")
    specs = ["main.deep(n)(~r0) if panicked && n > 250", "main.raise(how)() if how == 4 && panicked", "main.catch if !panicked",
             "main.shield if panicked || duration > 0"]
    trace = t.attach(*options, *specs, "--", t.binary("panics"), 2).finish()
    report = parse(trace.stdout[-1])[0]
    of = {f: [e for e in trace.calls if e["func"] == "main." + f] for f in "deep raise catch shield".split()}
    same(collections.Counter(e["args"][0]["value"] for e in of["deep"]), collections.Counter({n: 2 for n in range(251, 301)}), "main.deep")
    same([e["args"][0]["value"] for e in of["raise"]], [4] * 2, "main.raise")
    same(len(of["catch"]), report["returns"]["main.catch"], "main.catch")
    same(len(of["shield"]), report["returns"]["main.shield"], "main.shield")
    ends = collections.Counter(e["func"] for e in trace.unwound)
    same(dict(ends), {"main.deep": 100, "main.raise": 2}, "ends by panic")
    same(trace.lost, 0, "lost")


@case("panics: panicked where nobody recovers, and next to functions that are traced without a condition")
def panicked_fatal(t):
    trace = t.attach("main.die if panicked", "main.wait if panicked", "--", t.binary("panics"), "-die", 0).finish(status=2)
    same([described(e) for e in trace.unwound], [("main.die", "panic", "string", "the end", None)], "ends")
    same(len(trace.calls), 1, "calls")
    trace = t.attach("--buffer", "8m", "main.between if panicked", "main.catch", "main.raise", "--", t.binary("panics"), 1).finish()
    report = parse(trace.stdout[-1])[0]
    want = ended_by_panic(report, {"main.between", "main.raise"})
    got = without_message(trace.unwound)
    same((dict(got - want), dict(want - got)), ({}, {}), "ends")
