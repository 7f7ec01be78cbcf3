# SPDX-License-Identifier: GPL-2.0
"""attach --record and replay: the same lines, whenever they are printed."""

import os
import re
import shutil
import signal
import time

from cases_graph import Graph
from cases_trace import names, untraced
from lib import Counter, case, check, of_kind, parse, same, short, times, wait_for

CALLS = 10000
# Keys that differ between two sessions with the same hits.
VOLATILE = ("time_ns", "duration_ns", "seen_ns")


def record(t, *args):
    """A recording in the making, and its path."""
    path = os.path.join(t.tmp, "calls.rec")
    return t.attach("--record", path, *args, json=False, output=False), path


def replay(t, path, *options, patterns=(), status=0):
    """The JSON that replay prints of a recording, and its messages."""
    process = t.goprobectl("replay", "-o", "json", *options, path, *patterns)
    lines = process.finish(status=status)
    return parse("\n".join(lines)), process.stderr()


def steady(events):
    return [{k: v for k, v in e.items() if k not in VOLATILE} for e in events if e["kind"] != "summary"]


@case("a recording replayed prints what another session prints of the same calls")
def same_lines(t):
    functions = {e["func"] for e in parse("\n".join(untraced(t, "types")))}
    recorder, path = record(t, "-b", t.binary("types"), names(functions))
    recorder.attached()
    trace = t.attach(names(functions), "--", t.binary("types")).finish()
    recorder.interrupt()
    events, said = replay(t, path)
    check(len(trace.calls) >= 20 and not said.strip(), "%d calls; replay said: %s", len(trace.calls), said)
    got, want = steady(events), steady(trace.events)
    same([(e["kind"], e["func"]) for e in got], [(e["kind"], e["func"]) for e in want], "kinds and functions")
    for one, other in zip(got, want):
        same(one, other, "an event")
    again, _ = replay(t, path)
    same(again, events, "a second replay")


@case("record and replay: lines by a template have the call's values at its return; fields without a value are refused with a remedy")
def by_template(t):
    form = "{func} {args.x}, {args.y}: {results.z}, {goid}, {ended}"
    recorder, path = record(t, "main.foo", "--", t.binary("example"))
    recorder.finish()
    want = ["main.foo 99, 9801: 9900, 1, return"]
    same(t.goprobectl("replay", "--format", form, path).finish(), want, "a recording")
    out = os.path.join(t.tmp, "lines")
    t.goprobectl("attach", "-o", form, "--output", out, "main.foo", "--", t.binary("example")).finish()
    with open(out, encoding="utf-8") as f:
        same(f.read().splitlines(), want, "live lines")
    for form, status, message in (
            ("{fnc}", 2, "'{fnc}' is no field of an event"),
            ("{args.z}", 1, "no traced function has 'args.z'\n    they have: x, y"),
            ("{func", 2, "a field of the format has no end")):
        refused = t.goprobectl("replay", "--format", form, path)
        same(refused.finish(status=status), [], "output of what is refused")
        check(message in refused.stderr(), "%s: %s", form, refused.stderr())


@case("record and replay: --diff has the calls of two recordings with their percentiles; a recording does not differ from itself")
def differences(t):
    recordings = []
    for n in 2, 5:
        recorder, path = record(t, "/^main\\.(root|leaf|slow)$/", "--", t.binary("trees"), n)
        recorder.finish()
        recordings.append(path + str(n))
        os.rename(path, recordings[-1])
    old, new = recordings

    def diff(*args, status=0):
        return parse("\n".join(t.goprobectl("replay", "-o", "json", "--diff", *args).finish(status=status)))

    rows = {r["func"]: r for r in diff(old, new)}
    same({f: (r["old_calls"], r["new_calls"]) for f, r in rows.items()},
         {"main.root": (2, 5), "main.slow": (2, 5), "main.leaf": (14, 35)}, "calls")
    took = [[e["duration_ns"] for e in replay(t, path)[0] if e["kind"] == "return" and e["func"] == "main.leaf"] for path in recordings]
    for side, ns in zip(("old", "new"), (sorted(v) for v in took)):
        want = (sum(ns), ns[(len(ns) + 1) // 2 - 1], ns[-1])
        same(tuple(rows["main.leaf"]["%s_%s_ns" % (side, key)] for key in ("sum", "p50", "p99")), want, "durations of " + side)
    for r in diff(new, new):
        same([r["old" + key] for key in ("_calls", "_p50_ns")], [r["new" + key] for key in ("_calls", "_p50_ns")], "a recording and itself")
    text = t.goprobectl("replay", "--diff", old, new).finish()
    check(text[0].split()[-1] == "FUNCTION" and len(text) == 4, "as text: %s", text)


@case("a recording is replayed as text, up to --events, and to a file")
def as_text(t):
    recorder, path = record(t, "main.foo", "--", t.binary("example"))
    made = recorder.finish()
    same(made.stdout, untraced(t, "example"), "what was printed while recording")
    check(re.search(r"^2 events in \S+, 0 lost", made.stderr, re.M), "no summary: %s", made.stderr)
    text = "\n".join(t.goprobectl("replay", path).finish())
    call = re.search(r"^\S+ +1  > main\.foo\(x=99, y=9801\)$", text, re.M)
    back = re.search(r"< main\.foo => \(z=9900\) +\S+s$", text, re.M)
    check(call and back and call.start() < back.start(), "replay printed: %s", text)
    output = os.path.join(t.tmp, "one")
    same(t.goprobectl("replay", "-q", "--events", 1, "--output", output, path).finish(), [], "stdout")
    with open(output) as f:
        same(len(f.read().splitlines()), 1, "lines with --events 1")


@case("a recording has every call: recorded and lost are as many as were made")
def exact(t):
    for buffer in "64k", "1m":
        target = t.target("counter", "-hold", CALLS)
        recorder, path = record(t, "--buffer", buffer, "-p", target.pid, "main.doWork")
        recorder.attached()
        target.send()
        same(target.line(), "counter=%d" % CALLS, "the program's result")
        said = recorder.interrupt().stderr
        events, _ = replay(t, path)
        lost = sum(e["count"] for e in of_kind(events, "lost"))
        summary = events[-1]
        same(len(of_kind(events, "call")) + len(of_kind(events, "return")) + lost, 2 * CALLS, "recorded and lost")
        same((summary["lost"], summary["events"]), (lost, 2 * CALLS - lost), "the summary")
        check(re.search(r"^%d events in \S+, %d lost" % (2 * CALLS - lost, lost), said, re.M), "the recorder said: %s", said)


@case("losses are in a recording, in their place, and --strict reports them")
def losses(t):
    target = t.target("counter", "-hold", CALLS)
    recorder, path = record(t, "--buffer", "64k", "-p", target.pid, "main.doWork")
    recorder.attached()
    recorder.signal(signal.SIGSTOP)
    target.send()
    same(target.line(), "counter=%d" % CALLS, "the program's result")
    recorder.signal(signal.SIGCONT)
    recorder.interrupt()
    events, _ = replay(t, path, "--strict", status=3)
    lost = of_kind(events, "lost")
    check(lost and all(e["cause"] == "ring_full" and e["count"] > 0 for e in lost), "losses: %s", lost)
    same(sum(e["count"] for e in lost) + events[-1]["events"], 2 * CALLS, "recorded and lost")


@case("a recording whose goprobectl was killed is replayed as far as it goes, and says so")
def killed(t):
    target = t.target("counter", "-each", "1ms", 0)
    recorder, path = record(t, "-p", target.pid, "main.doWork")
    recorder.attached()
    wait_for("records in the file", lambda: os.path.getsize(path) > 20000)
    recorder.signal(signal.SIGKILL)
    recorder.wait()
    events, said = replay(t, path)
    check(len(of_kind(events, "call")) > 20 and events[-1]["kind"] == "summary", "events: %s", short(events[-3:]))
    check("cut short" in said, "replay said: %s", said)
    # All complete entries before the end of the file are shown, wherever that is.
    size, before = os.path.getsize(path), len(events)
    for cut in size - 1, size - 100, size // 2:
        os.truncate(path, cut)
        events, said = replay(t, path)
        check(of_kind(events, "call") and len(events) <= before and "cut short" in said, "cut at %d of %d: %d events; %s",
              cut, size, len(events), said)
        before = len(events)


@case("replay refuses another build of the program, and finds a moved one by -b")
def replaced(t):
    program = t.copy("example")
    kept = t.copy("example", "kept")
    recorder, path = record(t, "main.foo", "--", program)
    recorder.finish()
    want, _ = replay(t, path)
    os.unlink(program)
    shutil.copy(t.binary("counter"), program)
    _, said = replay(t, path, status=1)
    check("is not the program of this recording" in said and "-b FILE" in said, "replay said: %s", said)
    _, said = replay(t, path, "-b", program, status=1)
    check("another program" in said, "replay said: %s", said)
    same(replay(t, path, "-b", kept)[0], want, "what is replayed with -b")


@case("a file that is no recording is refused with a message")
def refused(t):
    path = os.path.join(t.tmp, "x.rec")
    for content in b"", b"goprobe", b"goprobe\n" + bytes(100), b"no recording at all":
        with open(path, "wb") as f:
            f.write(content)
        _, said = replay(t, path, status=1)
        check("can't be replayed" in said, "%r: %s", content, said)


@case("while a recording is written all calls of a busy program reach it", per="boot")
def busy(t):
    target = t.target("load", "-goroutines", 4)
    recorder, path = record(t, "--no-return", "-p", target.pid, "main.inner")
    wait_for("many records in the file", lambda: os.path.exists(path) and os.path.getsize(path) > times(4 << 20, 1 << 20))
    said = recorder.interrupt().stderr
    events, lost = (int(n) for n in re.search(r"^(\d+) events? in \S+, (\d+) lost", said, re.M).groups())
    process = t.goprobectl("replay", "-o", "json", path)
    counter = Counter().read(process.popen.stdout)
    same(process.wait(), 0, "exit status")
    check(events > 1000, "only %d events", events)
    same((counter.calls, counter.lost, counter.summary["lost"]), (events, lost, lost), "calls and losses")


@case("replay shows the calls that patterns name, and counts the others; a pattern without a match names near ones")
def by_pattern(t):
    recorder, path = record(t, "main.*", "--", t.binary("trees"), "2")
    recorder.finish()
    events, _ = replay(t, path)
    every = [e for e in events if "func" in e]
    for pattern, names in (("main.leaf", ["main.leaf"]), ("leaf", ["main.leaf"]), ("/^main.(fib|slow)$/", ["main.fib", "main.slow"])):
        want = [e for e in every if e["func"] in names]
        check(want, "no call of %s", names)
        events, _ = replay(t, path, patterns=[pattern])
        same([e for e in events if "func" in e], want, "events of %s" % pattern)
        same(of_kind(events, "summary")[0]["left_out"], len(every) - len(want), "others")
    refused = t.goprobectl("replay", path, "main.laef")
    refused.finish(status=1)
    check("has nothing that matches 'main.laef'" in refused.stderr() and "did you mean 'main.leaf'?" in refused.stderr(),
          "replay said: %s", refused.stderr())


@case("replay --since and --until show the calls that were open in that time, whole; a time without calls is said")
def by_time(t):
    recorder, path = record(t, "main.*", "--", t.binary("trees"), "20")
    recorder.finish()
    every = [e for e in replay(t, path)[0] if e["kind"] in ("call", "return")]
    ends = {(e["goid"], e["time_ns"] - e["duration_ns"]): e for e in every if e.get("duration_ns") is not None and e["kind"] == "return"}
    first, last = every[0]["time_ns"], every[-1]["time_ns"]
    begin, end = first + (last - first) // 3, first + (last - first) // 3 * 2
    # A time of day has whole ns.
    clock = [time.strftime("%H:%M:%S", time.gmtime(ns // 10**9)) + ".%09d" % (ns % 10**9) for ns in (begin, end)]
    got = [e for e in replay(t, path, "--time", "utc", "--since", clock[0], "--until", clock[1])[0] if e["kind"] in ("call", "return")]
    want = []
    for e in every:
        if e["kind"] == "call":
            over = ends.get((e["goid"], e["time_ns"]))
            begun, ended = e["time_ns"], over["time_ns"] if over else last
        else:
            begun, ended = e["time_ns"] - (e.get("duration_ns") or 0), e["time_ns"]
        if begun <= end and ended >= begin:
            want.append(e)
    panicked = ("main.boom", "main.risky")
    same([e for e in got if e["func"] not in panicked], [e for e in want if e["func"] not in panicked], "events of the window")
    check(0 < len(got) < len(every), "%d of %d events", len(got), len(every))
    same(len([e for e in replay(t, path, "--since", "0")[0] if e["kind"] in ("call", "return")]), len(every), "all from the begin on")
    said = t.goprobectl("replay", "--since", "1h", path, "main.leaf")
    said.finish()
    check("no call of" in said.stderr() and "the recording lasts" in said.stderr(), "replay said: %s", said.stderr())


@case("replay --graph, --merge and --flat print what graph prints of such calls; a recording without returns has no trees")
def as_trees(t):
    recorder, path = record(t, "--creator", "main.*", "--", t.binary("trees"), "2")
    recorder.finish()

    def shape(call):
        return call["func"], sorted(shape(c) for c in call["calls"])

    def trees(text):
        return sorted(shape(e["call"]) for e in of_kind(parse(text), "call_tree"))

    def rows(text):
        return sorted((e["func"], e["calls"]) for e in of_kind(parse(text), "function_time"))

    def printed(*args):
        return "\n".join(t.goprobectl("replay", *args, path).finish())

    live = ("main.*", "--", t.binary("trees"), "2")
    same(trees(printed("-o", "json", "--graph")), trees(Graph(t, *live).text()), "trees")
    same(rows(printed("-o", "json", "--flat")), rows(Graph(t, "--flat", *live).text()), "functions")
    check("main.root" in printed("--merge"), "no merged tree")
    check(all(re.match(r"\S.* \d+$", line) for line in printed("-o", "folded").splitlines()), "no folded lines")
    bare, path = record(t, "--no-return", "main.*", "--", t.binary("trees"), "1")
    bare.finish()
    refused = t.goprobectl("replay", "--graph", path)
    refused.finish(status=1)
    check("recorded with --no-return" in refused.stderr(), "replay said: %s", refused.stderr())
