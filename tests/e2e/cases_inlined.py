# SPDX-License-Identifier: GPL-2.0
"""Functions that are inlined at some places: what is counted, and what is said of the rest."""

import json
import re
import signal

from lib import case, check, loaded_with, of_kind, parse, same
from cases_count import started, summary_of

ROUNDS = 12
LEFT_OUT = re.compile(r"^main\.add is also inlined at (\d+) places?, not (\w+): (.*)$", re.M)


def listed(t, *patterns):
    """{function: number of places it was inlined at}, and {function: why it has no code} of goprobectl list."""
    rows = of_kind(parse("\n".join(t.goprobectl("list", "-o", "json", "-b", t.binary("copies"), *patterns).finish())), "function")
    return {r["func"]: r["inlined"] for r in rows}, {r["func"]: r["refused"] for r in rows if "refused" in r}


def ran(t, command, *args):
    """The command's process, and the program's own counts, while it traces the program."""
    target = t.target("copies", "-hold", ROUNDS)
    process = started(t, command, "-p", target.pid, *args)
    target.send()
    want = json.loads(target.line())
    target.finish()
    return process, process.finish(), want


@case("inlined places that are not counted are said: at the start, at the end and in JSON, by list as well")
def inlined_left_out(t):
    places, _ = listed(t, "main.add")
    places = places["main.add"]
    check(places > 3, "main.add is inlined at %d places", places)
    for command, action in (("count --no-inlined", "counted"), ("latency", "timed"), ("stack", "counted")):
        process, _, _ = ran(t, *command.split(), "main.add")
        said = LEFT_OUT.findall(process.stderr())
        same([(int(n), a) for n, a, _ in said], [(places, action)] * 2, "what %s says" % command)
        check(all("--inlined" in remedy for _, _, remedy in said), "%s", said)
    process, lines, want = ran(t, "count", "--no-inlined", "-o", "json", "main.add")
    events = parse("\n".join(lines))
    row, summary = of_kind(events, "count")[0], summary_of(events)
    same((row["inlined_left_out"], summary["inlined_left_out"]), (places, places), "in JSON")
    check(0 < row["calls"] < want["main.add"], "%d calls of %d", row["calls"], want["main.add"])
    attach = t.attach("main.add", "--", t.binary("copies"), ROUNDS).finish()
    same([(int(n), a) for n, a, _ in LEFT_OUT.findall(attach.stderr)], [(places, "traced")], "what attach says")
    same(summary_of(attach.events)["inlined_left_out"], places, "the summary of attach")


@case("a function is not called only if none of its inlined places is left out")
def not_called(t):
    target = t.target("copies", "-hold", ROUNDS)
    process = started(t, "count", "--no-inlined", "-p", target.pid, "main.add", "main.round")
    process.signal(signal.SIGINT)
    process.finish()
    check(re.search(r"^0 calls of 0 functions in .*; 1 not called; 1 not called here, but perhaps where inlined$", process.stderr(), re.M),
          "%s", process.stderr())
    process = started(t, "count", "--no-inlined", "-o", "json", "-p", target.pid, "main.add", "main.round")
    process.signal(signal.SIGINT)
    same(summary_of(parse("\n".join(process.finish())))["not_called_here"], ["main.add"], "in JSON")
    _, refused = listed(t, "main.*")
    check(refused, "no function is inlined wherever it is called")
    process = started(t, "count", "-p", target.pid, "main.*")
    process.signal(signal.SIGINT)
    process.finish()
    check(re.search(r"^\d+ functions are also inlined, at \d+ places, not counted: --inlined$", process.stderr(), re.M), "%s", process.stderr())
    target.send()
    target.line()


def written(name):
    """The name as the program has it: without type arguments."""
    return re.sub(r"\[[^\]]*\]", "", name)


def rows(events):
    """{function: row} of count, the instances of a generic function in one."""
    found = {}
    for e in of_kind(events, "count"):
        row = found.setdefault(written(e["func"]), dict.fromkeys(("calls", "inlined_places", "inlined_calls", "inlined_left_out", "inlined_unsure"), 0))
        for key in row:
            row[key] += e.get(key, 0)
    return found


def count_sure(t, trapless):
    names = ("main.add", "main.guard", "main.outer", "main.middle", "main.inner")
    _, lines, want = ran(t, "count", "-o", "json", "--trapless", trapless, *names)
    events = parse("\n".join(lines))
    found = rows(events)
    for name in names:
        row = found[name]
        check(row["calls"] == want[name] or (row["inlined_left_out"] and row["calls"] < want[name]),
              "%s: %s, the program has %d", name, row, want[name])
    same(found["main.add"]["inlined_left_out"], 0, "places of main.add that are left out")
    same(summary_of(events)["functions"], len(names), "functions of the summary")


@case("count: calls of named functions are those that the program counts, inlined ones included, or places are said to be left out")
def sure(t):
    count_sure(t, "off")
    with loaded_with("allow_jumps=1"):
        count_sure(t, "always")


@case("count --inlined: a row for each function, with what the program counts wherever that is sure")
def all_places(t):
    process, lines, want = ran(t, "count", "-o", "json", "--inlined", "main.*")
    events = parse("\n".join(lines))
    found, unsure = rows(events), 0
    for name, calls in want.items():
        row = found[name]
        unsure += row["inlined_unsure"]
        check(row["calls"] == calls or row["inlined_unsure"], "%s: %s, the program has %d", name, row, calls)
        same(row["inlined_left_out"], 0, "places of %s that are left out" % name)
    check(0 < unsure <= summary_of(events)["inlined_unsure"], "unsure places: %d, in the summary %s", unsure, summary_of(events))
    same(len(re.findall(r"^\d+ inlined places? may miss calls, or have some twice", process.stderr(), re.M)), 1, "lines about these")
    process, lines, want = ran(t, "count", "-o", "json", "--inlined", "--places", "main.add")
    found = of_kind(parse("\n".join(lines)), "count")
    same(sum(e["calls"] for e in found), want["main.add"], "calls at all places of main.add")
    check(all("(main.add, inlined)" in e["func"] for e in found if e["func"] != "main.add") and len(found) > 4, "%s", found)


@case("a method of a value means its wrapper where only that has the code, and what it counts is all calls")
def wrappers(t):
    name = "main.point.norm"
    _, lines, want = ran(t, "count", "--no-inlined", "-o", "json", name)
    row = rows(parse("\n".join(lines)))[name]
    places = listed(t, name)[0][name]
    same((row["inlined_places"], row["inlined_left_out"]), (1, places - 1), "the wrapper, and the other places")
    check(0 < row["calls"] < want[name], "%s of %d", row, want[name])
    _, lines, _ = ran(t, "latency", "-o", "json", "point.norm")
    same({written(e["func"]): e["calls"] for e in of_kind(parse("\n".join(lines)), "latency")},
         {"main.(*point).norm": row["calls"]}, "what latency times")


@case("-b FILE says that nothing can be hit as long as no process has the file")
def nobody(t):
    path = t.copy("copies")
    for runs in (False, True):
        if runs:
            check(t.run(path, "-hold", 1).line().startswith("ready"), "%s is not ready", path)
        process = started(t, "count", "-b", path, "main.round")
        process.signal(signal.SIGINT)
        process.finish()
        same("nothing can be hit until one does" in process.stderr(), not runs, process.stderr())
