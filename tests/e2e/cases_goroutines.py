# SPDX-License-Identifier: GPL-2.0
"""goprobectl goroutines, which needs no module, compared with what programs report of their own goroutines."""

import json
import os
import re
import time

from cases_stuck import state
from lib import case, check, of_kind, parse, same, wait_for

SECONDS = 20    # a goroutine that sleeps for 5 ms at a time rests during one look in this many seconds


def look(t, target, *args):
    """The rows of one look, and its summary."""
    process = t.goprobectl("goroutines", "-p", target.pid, "-o", "json", *args)
    lines = parse("\n".join(process.finish()))
    return lines, process.stderr()


def rows(t, target, *args):
    return {e["goid"]: e for e in of_kind(look(t, target, *args)[0], "goroutine")}


def own(funcs):
    """Without the runtime's, of which a traceback leaves out some."""
    return [f for f in funcs if f and not f.startswith("runtime.")]


def release(t):
    with open(os.path.join(t.targets, "GOVERSION"), encoding="ascii") as f:
        return int(f.read().strip().split(".")[1].partition("rc")[0])


def started(t, *args):
    target = t.target("waits", "-labels", *args)
    return target, json.loads(target.line())


def compare(want, row, minor):
    """A row that is certain, with what the program reports."""
    got = own(f["func"] for f in row["frames"])
    expected = own(want["funcs"])
    if row.get("truncated") or len(expected) > 64:
        same(got, expected[:len(got)], "the innermost functions of %s" % want["kind"])
        check(len(got) > 50, "too few functions of %s: %d", want["kind"], len(got))
    else:
        same(got, expected, "functions of %s" % want["kind"])
    same(row.get("labels"), want["labels"], "labels of %s" % want["kind"])
    same(row["created_by"]["func"], "main.start", "who started %s" % want["kind"])
    same(row.get("parent"), 1 if minor >= 21 else None, "which goroutine started %s" % want["kind"])
    if want["kind"] != "sleep":
        same(state(row), want["state"], "what %s waits for" % want["kind"])


def none_is_certain(t, target, wants):
    """Of a release that does not record when goroutines have run: all is shown, and nothing as certain."""
    found, summary = look(t, target)
    check("no row is certain: " in summary and "before 1.17" in summary, "the reason: %s", summary)
    same([e for e in found if e["consistent"] and e["status"] != "running"], [], "certain rows")
    check(set(wants) <= {e["goid"] for e in found}, "goroutines are missing: %s", found)


@case("goroutines: ids, states, stacks, labels and creators are those that the program reports, without the module")
def as_reported(t):
    target, wants = started(t)
    minor = release(t)
    left = {w["goid"]: w for w in wants}
    if minor < 17:
        none_is_certain(t, target, left)
        return
    end = time.monotonic() + SECONDS
    while left and time.monotonic() < end:
        found = rows(t, target)
        for goid in list(left):
            check(goid in found, "goroutine %d (%s) is missing", goid, left[goid]["kind"])
            if found[goid]["consistent"]:
                compare(left.pop(goid), found[goid], minor)
    same([w["kind"] for w in left.values()], [], "kinds whose rows are never consistent")
    target.kill()


@case("goroutines: one that never rests is shown as running without a stack, or as torn")
def never_rests(t):
    target, wants = started(t, "-busy", 2, "-short", 4)
    waiting = {w["goid"]: w for w in wants if w["kind"] in ("channel", "send", "select", "mutex", "any", "inlined")}
    minor, busy = release(t), 0
    for _ in range(10):
        found, summary = look(t, target)
        torn = sum(not e["consistent"] for e in found)
        check("%d torn" % torn in summary, "the summary: %s", summary)
        for e in found:
            if e["status"] == "running":
                same(e["frames"], [], "the stack of a goroutine that runs")
                busy += 1
            if e["consistent"] and e["goid"] in waiting:
                compare(waiting[e["goid"]], e, minor)
            # A whole stack ends where a goroutine begins; one of short() never is another's.
            names = [f["func"] for f in e["frames"]]
            if e["consistent"] and "main.short" in names:
                check("main.onShort" in names and names[-1] == "runtime.goexit", "a mixed stack: %s", e)
    check(busy, "no goroutine was ever seen running")
    target.kill()


@case("goroutines: --state, --with, --longer-than, --group, --sort and --top choose, count and order them")
def chosen(t):
    target, wants = started(t)
    ids = lambda kinds: sorted(w["goid"] for w in wants if w["kind"] in kinds)
    on_channels = ("channel", "deep", "inlined", "any")
    same(sorted(rows(t, target, "--state", "chan receive*")), ids(on_channels), "--state of a wait reason")
    same(sorted(rows(t, target, "--state", "chan*")), ids(on_channels + ("send",)), "--state with a glob")
    check(set(ids(on_channels)) <= set(rows(t, target, "--state", "waiting")), "--state of a status")
    same(sorted(rows(t, target, "--with", "main.onDeep")), ids(("deep",)), "--with")
    same(sorted(rows(t, target, "--with", "/^main\\.onDee.$/")), ids(("deep",)), "--with a regular expression")
    same(sorted(rows(t, target, "--with", "main.small")), ids(("inlined",)), "--with of an inlined function")
    nobody = t.goprobectl("goroutines", "-p", target.pid, "--with", "main.onDepp")
    same(nobody.wait(), 1, "the exit status of --with of no function")
    check(re.search(r"matches 'main\.onDepp'\s+did you mean 'main\.onDeep'", nobody.stderr()), "it said: %s", nobody.stderr())
    same(rows(t, target, "--with", "runtime.abort"), {}, "--with of a function that is on no stack")
    same(rows(t, target, "--longer-than", "10h"), {}, "--longer-than of more than the program's age")
    for row in rows(t, target, "--longer-than", "1ms").values():
        check(row["waited_ns"] >= 1000000, "--longer-than: %s", row)
    waits = [e.get("waited_ns", 0) for e in look(t, target, "--sort", "wait")[0]]
    same(waits, sorted(waits, reverse=True), "--sort wait")
    same(len(rows(t, target, "--top", 3)), 3, "--top")
    groups = of_kind(look(t, target, "--with", "main.on*", "--group", "state")[0], "stack")
    same([g["count"] for g in groups if g["labels"].get("wait_reason") == "chan receive"], [len(on_channels)], "--group state")
    groups = of_kind(look(t, target, "--state", "chan*", "--group", "creator")[0], "stack")
    same([(g["count"], g["created_by"]["func"]) for g in groups], [(len(on_channels) + 1, "main.start")], "--group creator")
    target.send("call channel")
    target.line()
    groups = of_kind(look(t, target, "--with", "main.onChannel", "--group", "stack")[0], "stack")
    same([(g["count"], g["created_by"]["func"]) for g in groups], [(2, "main.start")], "--group stack")
    target.kill()


@case("goroutines --interval: the groups that have grown, by creator and stack, and by how much, until the process ends")
def growth(t):
    target = t.target("waits")
    target.line()
    process = t.goprobectl("goroutines", "-p", target.pid, "-i", "300ms", "-o", "json")
    text = t.goprobectl("goroutines", "-p", target.pid, "-i", "300ms", "--group", "creator")
    for p in (process, text):
        wait_for("the first look", lambda p=p: "Ctrl-C ends" in p.stderr())
    for _ in range(3):
        target.send("call channel")
        target.line()
    # The runtime may start goroutines of its own: other groups may have grown, too.
    for p in (process, text):
        looks = p.stderr().count(" goroutines in ")
        wait_for("two more looks", lambda p=p, looks=looks: p.stderr().count(" goroutines in ") > looks + 1)
    target.finish()
    own = [s for s in of_kind(parse("\n".join(process.finish())), "stack") if "main.onChannel" in [f["func"] for f in s["frames"]]]
    same((own[-1]["grown"], own[-1]["count"], own[-1]["created_by"]["func"]), (3, 4, "main.start"), "goroutines that wait at a channel")
    check(any(re.match(r"[3-9] more goroutines, ", l) for l in text.finish()), "text")
    check("process %d has ended" % target.pid in process.stderr(), "the end: %s", process.stderr())


@case("goroutines: for a program without symbols a message says why goroutines can't be read")
def stripped(t):
    target, _ = started(t)
    bare = t.copy("waits", "stripped")
    t.run("strip", bare).finish()
    other = t.target(bare)
    other.line()
    process = t.goprobectl("goroutines", "-p", other.pid)
    same(process.wait(), 1, "the exit status")
    check("has no symbols that say where its goroutines are" in process.stderr(), "the message: %s", process.stderr())
    process = t.goprobectl("goroutines")
    same(process.wait(), 2, "the exit status without -p")
    target.kill()
    other.kill()
