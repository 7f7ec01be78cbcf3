# SPDX-License-Identifier: GPL-2.0
"""Where breakpoints are, and that programs do what they did whatever instruction is under one."""

import collections
import re

from lib import Skip, case, check, of_kind, parse, same, short
from cases_trace import untraced

CALLS = 400
# Functions whose last integer argument, or the only one, is the number of the call.
NUMBERED = ("branch", "choose", "spill", "store")
# First instructions of functions of tests/targets/leaves, and how they are executed; for releases that pass registers.
EXECUTED = {
    "branch": "emulated", "choose": "emulated", "nothing": "carried_out", "load": "carried_out", "loadGlobal": "carried_out",
    "constant": "carried_out", "address": "carried_out", "isThree": "carried_out", "store": "stepped", "half": "stepped",
}


def points_of(t, binary):
    """The points of the package main, and what is said of all, by goprobectl list."""
    listed = parse("\n".join(t.goprobectl("list", "--points", "-o", "json", "-b", binary, "main.*").finish()))
    # Where functions were inlined there are breakpoints with --inlined only.
    points = [p for p in of_kind(listed, "point") if p["point"] != "inlined"]
    end = of_kind(listed, "points")
    same(len(end), 1, "last objects")
    return points, end[0]


@case("leaf functions: each call and return once, with its values, and the program computes what it did")
def leaves(t):
    want = untraced(t, "leaves", str(CALLS))
    functions = [line.split()[0] for line in want]
    trace = t.attach("--buffer", "16m", "/^main\\.(%s)$/" % "|".join(f[5:] for f in functions), "--", t.binary("leaves"),
                     CALLS).finish()
    same(trace.stdout, want, "the program's own output")
    same(trace.lost, 0, "losses")
    calls, returns = collections.Counter(), collections.Counter()
    args, results = collections.Counter(), collections.Counter()
    numbers = collections.defaultdict(list)
    for event in trace.calls:
        values = [a["value"] for a in event["args"] if a["type"] in ("int", "uint8")]
        calls[event["func"]] += 1
        args[event["func"]] += sum(values)
        numbers[event["func"]] += values[-1:]
    for event in trace.returns:
        returns[event["func"]] += 1
        results[event["func"]] += sum(int(r["value"]) for r in event["results"] if r["type"] in ("int", "uint8", "bool"))
    same(["%s %d %d %d" % (f, calls[f], args[f], results[f]) for f in functions], want, "calls, arguments and results")
    same({f: returns[f] for f in functions}, {f: calls[f] for f in functions}, "returns")
    for name in NUMBERED:
        same(numbers["main." + name], list(range(CALLS)), "the arguments of " + name)
    check(not trace.unwound, "calls that did not return: %s", short(trace.unwound))


@case("list --points shows each breakpoint that attach sets, and how its instruction is executed")
def list_points(t):
    binary = t.binary("leaves")
    points, end = points_of(t, binary)
    check(end["able"] in (True, False), "the module was not asked: %s", end)
    names = sorted({p["func"] for p in points})
    same(end["functions"], len(names), "functions")
    executed = collections.Counter(p["executed"] for p in points)
    if not end["able"]:
        same(executed["carried_out"], 0, "what a module carries out that can't")
        executed["stepped"] -= end["carried_out"]
        executed["carried_out"] = end["carried_out"]
    same({k: executed[k] for k in ("emulated", "carried_out", "stepped")},
         {k: end[k] for k in ("emulated", "carried_out", "stepped")}, "totals")
    for point in points:
        same("why" in point, point["executed"] == "stepped", "a reason for %s" % point)
    # main.main's own breakpoints would be met, too.
    attach = t.attach(*[n for n in names], "--", binary, 1)
    trace = attach.finish()
    said = re.search(r"^tracing (\d+) functions at (\d+) breakpoints", trace.stderr, re.M)
    check(said, "attach says: %s", trace.stderr)
    same((int(said[1]), int(said[2])), (len(names), len(points)), "functions and breakpoints of attach")


@case("functions without a stack check have their breakpoint at the cheapest instruction")
def cheapest(t):
    points, end = points_of(t, t.binary("leaves"))
    returns = [p for p in points if p["point"] == "return"]
    check(returns, "no returns: %s", short(points))
    for point in returns:
        same(point["code"], "c3", "a return of " + point["func"])
    if "go1.15" in t.label:
        raise Skip("arguments are on the stack there, and functions begin in another way")
    calls = {p["func"][5:]: p for p in points if p["point"] == "call"}
    for name, executed in EXECUTED.items():
        if executed == "carried_out" and not end["able"]:
            executed = "stepped"
        same(calls[name]["executed"], executed, "how main.%s begins: %s" % (name, calls[name]))
    for name in "branch", "choose":
        check(calls[name]["offset"] > 0, "main.%s is probed at its first instruction: %s", name, calls[name])
