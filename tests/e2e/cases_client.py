# SPDX-License-Identifier: GPL-2.0
"""libgoprobe in other programs, and the Go client: clients/c, clients/go."""

import os
import re

from cases_record import steady
from cases_trace import names, untraced
from lib import Skip, case, check, of_kind, parse, same, wait_for

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
CLIENTS = os.path.join(TOP, "build/clients")


def client(t, name, *args, **kwargs):
    """A program of tests/clients/build, with the library of this tree."""
    path = os.path.join(CLIENTS, name)
    if not os.path.exists(path):
        raise Skip("there is no %s: tests/clients/build makes it" % os.path.relpath(path, TOP))
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(TOP, "build/tool"))
    return t.run(path, *args, env=env, **kwargs)


def started(process):
    """Wait until the client says so."""
    def said():
        check(not process.ended(), "%s ended: %s", process, process.stderr())
        return "started\n" in process.stderr()
    wait_for("%s: starting" % process, said)
    return process


def beside(t, *argv, target="types"):
    """What a client and goprobectl print of the same calls, and what the client says."""
    functions = {e["func"] for e in parse("\n".join(untraced(t, target)))}
    program = t.target(target, "-hold")
    process = started(client(t, *argv, program.pid, names(functions)))
    attach = t.attach("-p", program.pid, names(functions)).attached()
    program.send()
    program.drain()
    program.finish()
    trace = attach.finish()
    return process.finish(), trace, process.stderr()


@case("a C program with libgoprobe is handed what goprobectl prints, beside it, of every shape")
def c_same(t):
    lines, trace, said = beside(t, "watch", "-j")
    got, want = steady(parse("\n".join(lines))), steady(trace.events)
    check(len(got) > 40, "%d events", len(got))
    same([(e["kind"], e["func"]) for e in got], [(e["kind"], e["func"]) for e in want], "kinds and functions")
    for one, other in zip(got, want):
        same(one, other, "an event")
    check("%d calls, %d returns, 0 lost" % (len(trace.calls), len(trace.returns)) in said, "it said: %s", said)


@case("a C program with libgoprobe gets values as numbers and strings, and ends when it wants to")
def c_values(t):
    program = t.target("counter", "-hold", 100)
    process = started(client(t, "watch", "-n", 3, program.pid, "main.doWork(main.counter)"))
    program.send()
    same(program.line(), "counter=100", "the program's result")
    lines = process.finish()
    same(len(lines), 3, "events of -n 3: %s" % lines)
    same([line.rpartition(" ")[2] for line in lines[::2]], ["main.doWork(main.counter=0)", "main.doWork(main.counter=1)"], "calls")
    check(lines[1].startswith("goroutine 1 returns from main.doWork after "), "the return: %s", lines[1])
    check("2 calls, 1 returns, 0 lost" in process.stderr(), "it said: %s", process.stderr())


@case("a C program with libgoprobe is handed what replay prints of a recording")
def c_replay(t):
    functions = {e["func"] for e in parse("\n".join(untraced(t, "types")))}
    recording = os.path.join(t.tmp, "calls.rec")
    t.attach("--record", recording, names(functions), "--", t.binary("types"), json=False, output=False).finish()
    want = parse("\n".join(t.goprobectl("replay", "-o", "json", recording).finish()))
    process = client(t, "watch", "-j", "-r", recording)
    got = parse("\n".join(process.finish()))
    check(len(got) > 40, "%d events", len(got))
    same(got, [e for e in want if e["kind"] != "summary"], "events")
    said = "%d calls, %d returns, 0 lost" % (want[-1]["calls"], want[-1]["returns"])
    check(said in process.stderr(), "it said: %s", process.stderr())
    same(parse("\n".join(client(t, "watch", "-j", "-n", 3, "-r", recording).finish())), got[:3], "the first three")


def bare(value):
    """JSON without what goprobectl adds to times and errors."""
    if isinstance(value, list):
        return [bare(v) for v in value]
    if isinstance(value, dict):
        return {k: bare(v) for k, v in value.items() if k not in ("text", "message")}
    return value


def same_events(got, want):
    same([(e["kind"], e["func"]) for e in got], [(e["kind"], e["func"]) for e in want], "kinds and functions")
    for one, other in zip(got, want):
        same(one, other, "an event")


@case("the Go client decodes what goprobectl prints, beside it, of every shape")
def go_same(t):
    lines, trace, said = beside(t, "trace")
    check(len(trace.calls) > 20, "%d calls", len(trace.calls))
    same_events(bare(steady(parse("\n".join(lines)))), bare(steady(trace.events)))
    check("%d calls, %d returns, 0 lost" % (len(trace.calls), len(trace.returns)) in said, "it said: %s", said)


def replayed(t, pattern, target, *args):
    """What goprobectl and the Go client make of the same records."""
    recording, plan = os.path.join(t.tmp, "calls.rec"), os.path.join(t.tmp, "calls.plan")
    t.attach("--record", recording, pattern, "--", t.binary(target), *args, json=False, output=False).finish()
    t.goprobectl("plan", "-q", "--output", plan, "-b", t.binary(target), pattern).finish()
    want = parse("\n".join(t.goprobectl("replay", "-o", "json", recording).finish()))
    got = parse("\n".join(client(t, "trace", "-plan", plan, "-replay", recording).finish()))
    check(of_kind(want, "call"), "nothing was recorded")
    return bare(got), bare([e for e in want if e["kind"] != "summary"])


@case("the Go client makes of a recording what replay does, times and durations included")
def go_replay(t):
    functions = {e["func"] for e in parse("\n".join(untraced(t, "types")))}
    same_events(*replayed(t, names(functions), "types"))


@case("the Go client tells how calls end that do not return as goprobectl does")
def go_panics(t):
    got, want = replayed(t, "main.*", "panics", 3)
    check(len(of_kind(want, "unwound")) > 10, "%d unwound", len(of_kind(want, "unwound")))
    same_events(got, want)


@case("the Go example of a counter shows the program's own number")
def go_counter(t):
    program = t.target("counter", "-hold", "-each", "1ms", 2000)
    process = client(t, "counter", program.pid)
    wait_for("the example's probe", lambda: program.probed("main.doWork"))
    program.send()
    same(program.line(), "counter=2000", "the program's result")
    program.finish()
    lines = process.finish()
    # It is read before the last call adds to it.
    same(lines[-1], "counter: 1999", "what it shows last")


@case("the Go example of latencies counts each call, and takes them for as long as they were")
def go_latency(t):
    program = t.target("counter", "-hold", "-each", "2ms", 300)
    process = started(client(t, "latency", "-for", "0", program.pid, "main.doWork", "time.Sleep"))
    program.send()
    same(program.line(), "counter=300", "the program's result")
    program.finish()
    rows = {line.split()[-1]: line.split() for line in process.finish()[1:]}
    same((rows["main.doWork"][0], rows["time.Sleep"][0]), ("300", "300"), "calls")

    def ms(text):
        number, unit = re.fullmatch(r"([0-9.]+)(ns|µs|ms|s)", text).groups()
        return float(number) * {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1000}[unit]
    check(all(ms(cell) >= 2 for cell in rows["time.Sleep"][1:5]), "less than it slept: %s", rows["time.Sleep"])
    check(ms(rows["main.doWork"][2]) < ms(rows["time.Sleep"][2]), "doWork takes longer than a sleep: %s", rows)


@case("the Go client says what is wrong in the words of goprobectl and of the module")
def go_errors(t):
    program = t.target("counter", "-hold", 1)
    process = client(t, "trace", program.pid, "main.noSuchFunction")
    process.finish(status=1)
    check("main.noSuchFunction" in process.stderr(), "it said: %s", process.stderr())
    process = client(t, "trace", program.pid, "main.doWork(")
    process.finish(status=1)
    check("main.doWork(" in process.stderr(), "it said: %s", process.stderr())
