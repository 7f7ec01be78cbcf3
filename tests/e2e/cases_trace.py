# SPDX-License-Identifier: GPL-2.0
"""Events of traces: the right calls, all of them, with the right values."""

import contextlib
import ctypes
import json
import os
import re
import signal
import subprocess

import genl
from cases_graph import minor
from cases_session import code_of
from lib import Counter, Skip, case, check, parse, same, short, takes_no_locks, times, wait_for

FUNCTIONS = "/^main\\.(%s)$/"


def plain_name(function):
    """A generic function's name without its type arguments: they differ between
    the symbol table and runtime.Func, and between Go releases."""
    return re.sub(r"\[.*\]", "", function)


def names(functions):
    """A pattern that means exactly these functions."""
    return "/^(%s)$/" % "|".join(re.escape(plain_name(f)) for f in sorted(functions))


def untraced(t, name, *args):
    """A program's output without goprobe, but for what differs each time."""
    out = subprocess.run([t.binary(name), *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout
    return [line for line in out.decode().splitlines() if not line.startswith("ready ")]


@case("main.foo shows 99, 9801 and 9900 on goroutine 1, as text")
def example_text(t):
    trace = t.attach("main.foo", "--", t.binary("example"), json=False, output=False).finish()
    text = "\n".join(trace.stdout)
    call = re.search(r"^\S+ +1  > main\.foo\(x=99, y=9801\)$", text, re.M)
    back = re.search(r"^\S+ +1  < main\.foo => \(z=9900\) +\S+s$", text, re.M)
    check(call and back and call.start() < back.start(), "stdout is: %s", text)
    for line in untraced(t, "example"):
        check(line in trace.stdout, "the program's own line %r is missing: %s", line, text)
    check(re.search(r"^2 events in \S+, 0 lost", trace.stderr, re.M), "no summary on stderr: %s", trace.stderr)


@case("main.foo shows 99, 9801 and 9900 on goroutine 1, as JSON; the program's output is untouched")
def example_json(t):
    trace = t.attach("main.foo", "--", t.binary("example")).finish()
    same(trace.stdout, untraced(t, "example"), "the program's own output")
    same([e["kind"] for e in trace.events], ["call", "return", "summary"], "kinds of events")
    call, back, summary = trace.events
    for event in call, back:
        same((event["func"], event["goid"]), ("main.foo", 1), "function and goroutine")
        check(event["pid"] > 1 and event["tid"] > 1 and event["time_ns"] > 0, "ids and time: %s", event)
    same(call["args"], [{"name": "x", "type": "int", "value": 99}, {"name": "y", "type": "int", "value": 9801}], "arguments")
    same(back["results"], [{"name": "z", "type": "int", "value": 9900}], "results")
    check(0 < back["duration_ns"] == back["time_ns"] - call["time_ns"], "duration: %s, %s", call, back)
    same((summary["events"], summary["lost"]), (2, 0), "summary")


@case("the exit status of the command is passed on")
def exit_status(t):
    for status in 0, 7, 255:
        trace = t.attach("main.doWork", "--", t.binary("counter"), "-status", status, 3).finish(status=status)
        same(len(trace.calls), 3, "calls")


@case("a command's exit status is passed on also to a parent that ignores SIGCHLD")
def exit_status_ignored(t):
    trace = t.attach("main.doWork", "--", t.binary("counter"), "-status", 7, 3,
                     preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).finish(status=7)
    same(len(trace.calls), 3, "calls")


def count(t, calls, *options):
    """Run counter under goprobectl; the events, counted, and the process."""
    read, write = os.pipe()
    attach = t.attach("--output", "/dev/fd/%d" % write, *options, "main.doWork", "--", t.binary("counter"), calls,
                      output=False, pass_fds=[write])
    os.close(write)
    with os.fdopen(read, "rb", buffering=0) as stream:
        counter = Counter().read(stream)
    same(attach.drain()[1:], ["counter=%d" % calls], "the program's result")
    same(attach.wait(), 0, "exit status")
    check(counter.summary, "no summary")
    same(counter.summary["lost"], counter.lost, "the summary's losses")
    same(counter.summary["events"], counter.calls + counter.returns, "the summary's events")
    return counter


@case("each of 20,000 calls and returns is delivered, if the buffer is large enough")
def all_delivered(t):
    got = count(t, 20000, "--buffer", "16m")
    same((got.calls, got.returns, got.lost), (20000, 20000, 0), "calls, returns, lost")


@case("each of very many calls, 1,000,000 or if quick 100,000, is delivered or counted as lost", per="boot")
def million(t):
    made = times(1000000, 100000, 10000)
    got = count(t, made, "--no-return")
    same((got.calls + got.lost, got.returns), (made, 0), "delivered %d and lost %d, returns" % (got.calls, got.lost))


@case("with a tiny buffer and a reader that stands still, delivered and lost are exactly what was called")
def tiny_buffer(t):
    target = t.target("counter", "-hold", 10000)
    attach = t.attach("--buffer", "64K", "-p", target.pid, "main.doWork").attached()
    attach.signal(signal.SIGSTOP)
    target.send()
    same(target.line(), "counter=10000", "the program's result")
    attach.signal(signal.SIGCONT)
    trace = attach.interrupt()
    check(trace.lost > 0, "nothing was lost with a reader that stood still")
    check(trace.calls, "nothing was delivered")
    same(len(trace.calls) + len(trace.returns) + trace.lost, 20000, "delivered and lost")


@case("--strict exits 3 if records were lost, and 0 if not")
def strict(t):
    target = t.target("counter", "-hold", 10000)
    attach = t.attach("--strict", "--buffer", "64K", "-p", target.pid, "main.doWork").attached()
    attach.signal(signal.SIGSTOP)
    target.send()
    target.line()
    attach.signal(signal.SIGCONT)
    check(attach.interrupt(status=3).lost > 0, "nothing was lost")
    t.attach("--strict", "main.foo", "--", t.binary("example")).finish(status=0)


@case("200 goroutines, 1000 deep, migrating, panicking: each call once, each return its own, result unchanged")
def stress(t):
    plain = untraced(t, "stress")[-1]
    output = os.path.join(t.tmp, "events")
    # The values behind w do not matter here, and are hundreds of megabytes.
    attach = t.attach("--depth", "0", "--buffer", "16M", "--output", output, FUNCTIONS % "even|odd|guard|note", "--",
                      t.binary("stress"), output=False)
    same(attach.drain()[-1], plain, "the program's result")
    same(attach.wait(), 0, "exit status")
    with open(output, "rb") as events:
        pairs = subprocess.run([t.binary("pairs")], stdin=events, stdout=subprocess.PIPE, check=True)
    with open(output, "rb") as events:
        events.seek(max(0, os.path.getsize(output) - 4096))
        summary = json.loads(events.read().splitlines()[-1])
    got = json.loads(pairs.stdout)
    same((got["lost"], got["disorder"]), (0, 0), "lost, events out of order")
    same(got["wrong"], [], "%d mistakes" % got["mistakes"])
    check(got["moved"] > 0, "no call ended on another thread: no test of pairing")
    want = json.loads(plain)
    for function, counts in want["functions"].items():
        seen = got["functions"][function]
        same((seen["calls"], seen["returns"]), (counts["calls"], counts["returns"]), "calls and returns of " + function)
        # Calls that Goexit ended are seen when the goroutine is seen again: never.
        same(seen["unwound"] + seen["open"], counts["unwound"], "unwound calls of " + function)
    opened = sum(seen["open"] for seen in got["functions"].values())
    check(opened <= want["goexit"], "%d calls left open, but Goexit ended %d", opened, want["goexit"])
    same(summary["open"], opened, "the summary's open calls")
    same(summary["unwound"], sum(seen["unwound"] for seen in got["functions"].values()), "the summary's unwound calls")


def normal(value):
    """A value or type, with type arguments as the programmer wrote them: inside a
    generic function the compiler knows shapes, such as go.shape.int."""
    if isinstance(value, dict):
        return {k: normal(v) for k, v in value.items()}
    if isinstance(value, list):
        return [normal(v) for v in value]
    if isinstance(value, str):
        return re.sub(r"go\.shape\.([\w.*]+?)(_\d+)?(?=[\],]|$)", r"\1", value)
    return value


@case("generic functions: text has the names of Go's tracebacks, and distinguishes those that would be equal")
def generic_names(t):
    if minor(t) < 21:
        raise Skip("before Go 1.21 the line table itself has no type arguments")
    program, both = t.binary("types"), ("main.Second[...]", "main.MapKeys")
    listed = "\n".join(t.goprobectl("list", "-b", program, *both).finish())
    shapes = re.findall(r"^main\.Second\[(go\.shape\.(?:int|string))\]\(a", listed, re.M)
    same(len(shapes), 2, "instances of main.Second, as they are listed: " + listed)
    check(re.search(r"^main\.MapKeys\[\.\.\.\]\(m ", listed, re.M), "list: %s", listed)
    functions = parse("\n".join(t.goprobectl("list", "-o", "json", "-b", program, *both).finish()))
    check(all("[go.shape." in f["func"] for f in functions if f["kind"] == "function"), "JSON: %s", functions)
    trace = t.attach(*both, "--", program, json=False).finish()
    for line in (r'> main\.Second\[go\.shape\.int\]\(a=1, b=-2\)', r'> main\.Second\[go\.shape\.string\]\(a="first", b="second"\)',
                 r"< main\.MapKeys\[\.\.\.\] => \("):
        check(re.search(line, trace.text), "no line has %s: %s", line, trace.text)
    counted = "\n".join(t.goprobectl("count", *both, "--", program).finish())
    for name in ["main.Second[%s]" % shape for shape in shapes] + ["main.MapKeys[...]"]:
        check(re.search(r" %s$" % re.escape(name), counted, re.M), "no line of %s: %s", name, counted)


def named(values):
    """Arguments or results, those without a name left out."""
    return [v for v in values if v["name"] != "_" and not v["name"].startswith("~")]


# Keys beside a value: the value behind a reference, which the target prints too, or the meaning of a value for people.
BEHIND = {"to", "text", "message"}


def pared(want, got):
    """got without what the target does not print: the meanings of values for people, and captured variables."""
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [pared(w, g) for w, g in zip(want, got)]
    if not isinstance(got, dict):
        return got
    if "type" in got and "value" in got and BEHIND & set(got) and not (isinstance(want, dict) and "type" in want):
        # It would stand alone.
        return pared(want, got["value"])
    if not isinstance(want, dict):
        return got
    if "address" in want:
        return {k: pared(want[k], v) for k, v in got.items() if k in want}
    return {k: pared(want.get(k), v) for k, v in got.items() if k in want or k not in BEHIND}


def compare(expected, event):
    """Why a traced event is not the one that the target expects, or None."""
    for key in "goid", "args", "results":
        if key not in expected:
            continue
        want, got = normal(expected[key]), normal(event.get(key))
        if key == "args" and any("missing from the debug information" in v.get("unavailable", "") for v in got or ()):
            # Compilers before Go 1.22 say nothing of parameters without a name.
            # Named values must be right all the same.
            same(event["func"] in ("main.blanks", "main.unnamed"), True, "a function with unnamed parameters: %s" % event["func"])
            want, got = named(want), named(got)
        if key == "results" and got and len(got) == len(want):
            # The blank result is "_" to some compilers, "~r0" to others.
            got = [dict(g, name=w["name"]) if (g["name"], w["name"][:2]) == ("_", "~r") else g for g, w in zip(got, want)]
        if pared(want, got) != want:
            return "%s %s: %s is %s, expected %s" % (event["kind"], event["func"], key, short(json.dumps(event.get(key, event))),
                                                     short(json.dumps(expected[key])))
    return None


def types_of(t, *options):
    """A trace of types, and the lines that it expects."""
    expected = parse("\n".join(untraced(t, "types")))
    functions = {e["func"] for e in expected}
    trace = t.attach(*options, names(functions), "--", t.binary("types")).finish()
    return trace, parse("\n".join(trace.stdout))


@case("two references are followed unless --depth says otherwise, and strings where they end")
def depth(t):
    def left_of(*options):
        call = t.attach(*options, "main.tree", "--", t.binary("types")).finish().calls[0]
        return call["args"][0]["to"]["Left"]

    left = left_of()["to"]
    same(left["Key"], "l", "the string in the last object")
    check(isinstance(left["Right"], str) and left["Right"].startswith("0x"), "one object too many: %s", left)
    same(left_of("--depth", 3)["to"]["Right"]["to"]["Key"], "lr", "the string one level farther")
    check(isinstance(left_of("--depth", 1), str), "one level less: %s", left_of("--depth", 1))


@case("arguments and results of every shape are those that the program reports")
def types(t):
    trace, expected = types_of(t, "--depth", 4)
    same(trace.lost, 0, "lost")
    events = [e for e in trace.events if e["kind"] in ("call", "return")]
    wrong = []
    at = 0
    for event in events:
        # After an event too many or too few, go on where they agree again.
        key = event["kind"], plain_name(event["func"])
        ahead = next((i for i in range(at, min(at + 4, len(expected)))
                      if (expected[i]["kind"], plain_name(expected[i]["func"])) == key), None)
        if ahead is None:
            wrong.append("unexpected %s" % short(json.dumps(event)))
            continue
        wrong += ["missing %s" % short(json.dumps(e)) for e in expected[at:ahead]]
        problem = compare(expected[ahead], event)
        if problem:
            wrong.append(problem)
        at = ahead + 1
    wrong += ["missing %s" % short(json.dumps(e)) for e in expected[at:]]
    check(not wrong, "%d of %d lines differ: %s", len(wrong), len(expected), "; ".join(wrong[:40]))
    unwound = [e["func"] for e in trace.unwound]
    same(unwound, ["main.fails"], "functions left by a panic")


@case("attached in the middle of a busy program, arguments and results belong together")
def busy(t):
    target = t.target("load", "-pause", "1ms")
    trace = t.attach("--buffer", "16m", "--events", 4000, "-p", target.pid, "main.handle", "main.inner").finish()
    open_calls, matched = {}, 0
    for event in trace.events:
        if event["kind"] == "summary":
            continue
        key = event["goid"], event["func"]
        if event["kind"] == "call":
            open_calls[key] = event
            continue
        call = open_calls.pop(key, None)
        if not call:                # entered before goprobectl came
            same(event["duration_ns"], None, "the duration of a call that was not seen")
            continue
        first = call["args"][0]["value"]
        want = first * 2 + (71 if event["func"] == "main.handle" else 64)
        same(event["results"][0]["value"], want, "the result of %s" % json.dumps(call))
        same(event["duration_ns"], event["time_ns"] - call["time_ns"], "the duration of %s" % json.dumps(call))
        matched += 1
    check(matched > 1000, "only %d returns were seen", matched)
    target.send()
    check(target.line().startswith("calls "), "the target found a wrong result")


@case("--no-return shows calls only")
def no_return(t):
    trace = t.attach("--no-return", "main.foo", "--", t.binary("example")).finish()
    same([e["kind"] for e in trace.events], ["call", "summary"], "kinds of events")


@case("--string-limit cuts strings there and says so")
def string_limit(t):
    trace = t.attach("--string-limit", 3, "main.twoStrings", "--", t.binary("types")).finish()
    same(trace.calls[0]["args"],
         [{"name": "a", "type": "string", "value": "lef", "truncated": True, "len": 4},
          {"name": "b", "type": "string", "value": "rig", "truncated": True, "len": 5}], "arguments")


@case("--elements cuts slices there and says so")
def elements(t):
    trace = t.attach("--elements", 2, "main.strs", "--", t.binary("types")).finish()
    same(trace.calls[0]["args"], [{"name": "s", "type": "[]string", "value": ["a", ""], "truncated": True, "len": 3}], "arguments")


@case("--events N ends after exactly N events")
def events(t):
    target = t.target("counter", "-each", "1ms", 0)
    trace = t.attach("--events", 25, "-p", target.pid, "main.doWork").finish()
    same(len(trace.calls) + len(trace.returns), 25, "events")
    check(not target.ended(), "the target ended")


@case("--duration ends by itself; the target goes on")
def duration(t):
    target = t.target("counter", "-each", "1ms", 0)
    trace = t.attach("--duration", "2s", "-p", target.pid, "main.doWork").finish()
    check(trace.calls, "no calls")
    check(1.5 < trace.summary["seconds"] < 60, "it took %s s", trace.summary["seconds"])
    check(not target.ended(), "the target ended")


@case("globs and /regexps/ select the functions that they match")
def patterns(t):
    for pattern, want in (("main.n*Slices", {"main.nestedSlices"}), ("main.fail?", {"main.fails"}),
                          ("/^main\\.(f|c)64$/", {"main.f64", "main.c64"}), ("main.(*Cart).Add", {"main.(*Cart).Add"})):
        trace = t.attach(pattern, "--", t.binary("types")).finish()
        same({e["func"] for e in trace.calls}, want, "functions of " + pattern)


@case("list shows signature, place, RETs, and what was inlined")
def list_functions(t):
    lines = t.goprobectl("list", "-b", t.binary("types"), "main.*").finish()
    text = "\n".join(lines)

    def line_of(function):
        found = [x for x in lines if re.search(r"(^|\s)%s(\(|\s|$)" % re.escape(function), x)]
        check(found, "%s is missing: %s", function, short(text))
        return " ".join(found[0].split())
    source = os.path.join(os.path.dirname(__file__), "../targets/types/main.go")
    with open(source) as f:
        number = next(n for n, text_line in enumerate(f, 1) if text_line.startswith("func named("))
    listed = line_of("main.named")
    check("(x int) (q int, r int, ok bool)" in listed, "no signature in %s", listed)
    # Older compilers have the line of the first statement only.
    check(re.search(r"main\.go:(%d|%d)\b" % (number, number + 1), listed), "not main.go:%d: %s", number, listed)
    check(re.search(r" - - 2 .*inlined", line_of("main.half")), "half: %s", line_of("main.half"))
    check("main.(*Cart).Add" in text, "no methods: %s", short(text))


@case("two sessions on the same function each get everything")
def two_sessions(t):
    target = t.target("counter", "-hold", 2000)
    first = t.attach("-p", target.pid, "main.doWork").attached()
    second = t.attach("-p", target.pid, "main.doWork", "--no-return").attached()
    target.send()
    same(target.line(), "counter=2000", "the program's result")
    a, b = first.interrupt(), second.interrupt()
    same((len(a.calls), len(a.returns), a.lost), (2000, 2000, 0), "calls, returns, lost of the first")
    same((len(b.calls), len(b.returns), b.lost), (2000, 0, 0), "calls, returns, lost of the second")


@case("-p records that process only, not another one of the same program")
def one_pid(t):
    targets = [t.target("counter", "-hold", n) for n in (100, 200)]
    attach = t.attach("-p", targets[1].pid, "main.doWork").attached()
    check(not targets[0].probed("main.doWork"), "the other process got a breakpoint")
    check(targets[1].probed("main.doWork"), "the process got no breakpoint")
    for target, n in zip(targets, (100, 200)):
        target.send()
        same(target.line(), "counter=%d" % n, "the program's result")
    trace = attach.interrupt()
    same({e["pid"] for e in trace.calls}, {targets[1].pid}, "processes")
    same(len(trace.calls), 200, "calls")


@case("two sessions with different processes on the same function each get their own")
def two_pids(t):
    targets = [t.target("counter", "-hold", n) for n in (300, 400)]
    sessions = [t.attach("-p", target.pid, "main.doWork").attached() for target in targets]
    for target in targets:
        target.send()
        target.line()
    for target, session, n in zip(targets, sessions, (300, 400)):
        trace = session.interrupt()
        same(({e["pid"] for e in trace.calls}, len(trace.calls), len(trace.returns)), ({target.pid}, n, n), "pids, calls, returns")


@case("several -p in one session record those processes")
def several_pids(t):
    targets = [t.target("counter", "-hold", n) for n in (10, 20, 30)]
    attach = t.attach("-p", targets[0].pid, "-p", targets[2].pid, "main.doWork").attached()
    for target in targets:
        target.send()
        target.line()
    trace = attach.interrupt()
    same(({e["pid"] for e in trace.calls}, len(trace.calls)), ({targets[0].pid, targets[2].pid}, 40), "pids, calls")


@case("-b FILE records every process of that file, those that start later too")
def by_file(t):
    before = t.target("counter", "-hold", 50)
    attach = t.attach("-b", t.binary("counter"), "main.doWork").attached()
    after = t.target("counter", "-hold", 60)
    for target in before, after:
        target.send()
        target.line()
    trace = attach.interrupt()
    per_pid = {p.pid: sum(e["pid"] == p.pid for e in trace.calls) for p in (before, after)}
    same(per_pid, {before.pid: 50, after.pid: 60}, "calls by process")


@case("a forked child, which inherits the breakpoints, is not recorded under -p and runs on")
def forked(t):
    target = t.target("counter", "-hold", "-fork", 500, 70)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    target.send()
    child = target.line()
    check(re.match(r"child \d+: 0 <nil>$", child), "the child: %s", child)
    same(target.line(), "counter=70", "the program's result")
    trace = attach.interrupt()
    same(({e["pid"] for e in trace.calls}, len(trace.calls)), ({target.pid}, 70), "pids, calls")


def children(pid):
    found = []
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/children" % (pid, tid)) as f:
            found += [int(n) for n in f.read().split()]
    return found


@case("netlink: a forked child loses breakpoints without a session, and keeps those of its own session")
def forked_let_go(t):
    target = t.target("counter", "-hold", "-fork", 1 << 40, 70)
    path = target.argv[0]
    offset, code = code_of(path, "main.doWork")
    begin, _, start = target.mapped_code(offset)

    def probed():
        with open("/proc/%d/mem" % child, "rb", buffering=0) as f:
            f.seek(begin + offset - start)
            return f.read(1) != code[:1]

    def session(pid):
        client = clients.enter_context(genl.Client())
        client.new_session(pid)
        client.add_file(path)
        client.add_points([genl.point(offset, code, 1, action=genl.GOPROBE_ACTION_COUNT)])
        client.call(genl.GOPROBE_CMD_START)
        return client
    with contextlib.ExitStack() as clients:
        parent = session(target.pid)
        target.send()
        wait_for("a hit of the child", lambda: parent.stats()[genl.GOPROBE_STAT_OTHER_PROCESS])
        child, = children(target.pid)
        stays = takes_no_locks(t)
        if not stays:
            wait_for("the breakpoint's end in the child", lambda: not probed())
            same(parent.stats()[genl.GOPROBE_STAT_OTHER_PROCESS], 1, "hits of the child")
        own = session(child)
        wait_for("hits of the child for its own session", lambda: own.stats()[genl.GOPROBE_STAT_COUNTED] > 100)
        check(probed(), "there is no breakpoint in the child")
        own.call(genl.GOPROBE_CMD_STOP)
        if not stays:
            wait_for("the breakpoint's end in the child, once more", lambda: not probed())
        check(target.probed("main.doWork"), "the parent has lost its breakpoint")
        os.kill(child, signal.SIGKILL)
        check(target.line().startswith("child %d: " % child), "it said something else")
        same(target.line(), "counter=70", "the program's result")
        same(parent.tallies()[1].hits, 70, "hits of the parent")


def where_in(function):
    """Of a function of the C library: its file, its offset, its address here."""
    at = ctypes.cast(function, ctypes.c_void_p).value
    with open("/proc/self/maps") as maps:
        for line in maps:
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+\s+(/.*)", line)
            if m and int(m.group(1), 16) <= at < int(m.group(2), 16):
                return m.group(4), at - int(m.group(1), 16) + int(m.group(3), 16), at
    raise Skip("the C library is not mapped from a file")


@case("netlink: a child that shares its parent's memory until exec leaves the parent its breakpoints", per="boot")
def spawned(t):
    path, offset, at = where_in(ctypes.CDLL(None).execve)
    with open(path, "rb") as f:
        f.seek(offset)
        code = f.read(16)
    with genl.Client() as client:
        client.new_session(os.getpid())
        client.add_file(path)
        client.add_points([genl.point(offset, code, 1, action=genl.GOPROBE_ACTION_COUNT)])
        client.call(genl.GOPROBE_CMD_START)
        for n in 1, 2:
            os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
            same(client.stats()[genl.GOPROBE_STAT_OTHER_PROCESS], n, "hits of children")
            check(ctypes.string_at(at, 1) != code[:1], "the parent has lost its breakpoint")


@case("a forked child is recorded under -b")
def forked_by_file(t):
    target = t.target("counter", "-hold", "-fork", 500, 70)
    attach = t.attach("-b", t.binary("counter"), "main.doWork").attached()
    target.send()
    child = int(re.match(r"child (\d+): 0 <nil>$", target.line()).group(1))
    target.line()
    trace = attach.interrupt()
    same({p: sum(e["pid"] == p for e in trace.calls) for p in (target.pid, child)}, {target.pid: 70, child: 500}, "calls by process")


@case("with a command no call is missed, from the first instruction on")
def first_instruction(t):
    trace = t.attach("runtime.schedinit", "main.main", "--", t.binary("example")).finish()
    same([e["func"] for e in trace.calls][:1], ["runtime.schedinit"], "the first call")
    check("main.main" in [e["func"] for e in trace.calls], "main.main is missing: %s", short(trace.events))


@case("list shows exactly the probed functions of a session")
def list_probed(t):
    target = t.target("counter", "-hold", 1)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    text = "\n".join(t.goprobectl("list").finish())
    check("main.doWork" in text and str(target.pid) in text, "list says: %s", text)
    attach.interrupt()
    wait_for("list showing nothing", lambda: "main.doWork" not in "\n".join(t.goprobectl("list").finish()))
