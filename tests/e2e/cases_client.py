# SPDX-License-Identifier: GPL-2.0
"""libgoprobe in other programs, and the Go client."""

import collections
import itertools
import os
import re
import signal
import socket
import struct
import time

import cases_limits
import genl
from cases_places import marks
from cases_record import steady
from cases_security import ports
from cases_split import bounds, measured, measured_again, split
from cases_trace import names, untraced
from lib import Skip, case, check, module_users, of_kind, parse, same, short, wait_for

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
    """The output of a client and of goprobectl for the same calls, and the client's messages."""
    functions = {e["func"] for e in parse("\n".join(untraced(t, target)))}
    program = t.target(target, "-hold")
    process = started(client(t, *argv, program.pid, names(functions)))
    attach = t.attach("-p", program.pid, names(functions)).attached()
    program.send()
    program.drain()
    program.finish()
    trace = attach.finish()
    return process.finish(), trace, process.stderr()


@case("a C program with libgoprobe gets the lines that goprobectl prints beside it, of every shape")
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


@case("a C program with libgoprobe gets the lines that replay prints of a recording")
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


def same_events(got, want):
    same([(e["kind"], e["func"]) for e in got], [(e["kind"], e["func"]) for e in want], "kinds and functions")
    for one, other in zip(got, want):
        same(one, other, "an event")


@case("the Go client returns what goprobectl prints beside it, of every shape")
def go_same(t):
    lines, trace, said = beside(t, "trace")
    check(len(trace.calls) > 20, "%d calls", len(trace.calls))
    same_events(steady(parse("\n".join(lines))), steady(trace.events))
    check("%d calls, %d returns, 0 lost" % (len(trace.calls), len(trace.returns)) in said, "it said: %s", said)


@case("the Go client reads a recording as replay does, with times, durations and ends of calls")
def go_replay(t):
    recording = os.path.join(t.tmp, "calls.rec")
    t.attach("--record", recording, "main.*", "--", t.binary("panics"), 3, json=False, output=False).finish()
    want = parse("\n".join(t.goprobectl("replay", "-o", "json", recording).finish()))
    check(len(of_kind(want, "unwound")) > 10, "%d unwound", len(of_kind(want, "unwound")))
    same_events(parse("\n".join(client(t, "trace", "-replay", recording).finish())), [e for e in want if e["kind"] != "summary"])


@case("the Go client shows places, with their values and all registers, as goprobectl does beside it")
def go_places(t):
    lines = marks()
    specs = ["places/main.go:%d" % line for line in lines.values()] + ["main.first+0($rax, $rsp)"]
    # Each runs the same breakpoints of the same program.
    binary = t.binary("places")
    process = started(client(t, "trace", "-registers", "-file", binary, *specs))
    attach = t.attach("--registers", "-b", binary, *specs).attached()
    t.run(binary, 3).finish()
    want = attach.interrupt()
    process.signal(signal.SIGINT)
    got = parse("\n".join(process.finish()))
    same({e["line"] for e in of_kind(got, "at")} >= set(lines.values()), True, "all lines are there")
    check(all(len(e["registers"]) == 17 for e in got), "registers are missing: %s", short(got[:3]))
    same_events(steady(got), steady(want.events))


@case("the Go client divides the time of calls among states, as the program has measured it")
@measured_again
def go_split(t):
    functions = ("main.onSleep", "main.onChan")
    process = started(client(t, "trace", "-split", "-file", t.binary("divided"), *functions))
    said, _ = measured(t.run(t.binary("divided"), "-rounds", "2", "-gc", "-1").finish())
    process.signal(signal.SIGINT)
    returns = of_kind(parse("\n".join(process.finish())), "return")
    for name in functions:
        its = [e for e in returns if e["func"] == name]
        same(len(its), said[name]["calls"], "calls of %s" % name)
        got = collections.Counter()
        for e in its:
            same(sum(split(e).values()), e["duration_ns"], "all states of a call of %s" % name)
            got.update(split(e))
        bounds(said[name], got)


@case("the Go client sees each function a number of times, as goprobectl does, places too, and its breakpoints leave")
def go_times(t):
    counts = {}
    for name in "client", "goprobectl":
        program = t.target("counter", "-hold", "-each", "1ms", 2000)
        specs = ["main.doWork", "time.Sleep+0"]
        if name == "client":
            process = started(client(t, "trace", "-times", 3, program.pid, *specs))
        else:
            attach = t.attach("--times", 3, "-p", program.pid, *specs).attached()
        program.send()
        events = parse("\n".join(process.finish())) if name == "client" else attach.finish().events
        same(program.patched(), 0, "%s: bytes that are not as in the file" % name)
        same(program.line(), "counter=2000", "the program's result")
        program.finish()
        counts[name] = collections.Counter((e["kind"], e["func"]) for e in events if e["kind"] != "summary")
    same(counts["client"], {("call", "main.doWork"): 3, ("return", "main.doWork"): 3, ("at", "time.Sleep"): 3}, "events")
    same(counts["client"], counts["goprobectl"], "what both see")


@case("the Go client ends a trace that takes too much time, says so, and the program goes on", slow=True)
def go_load(t):
    target = t.target("limits", "-goroutines", 1, "-trees", 1, "-hot", 1)
    cases_limits.run(target)
    process = started(client(t, "trace", "-max-load", 1, target.pid, "main.hot"))
    cases_limits.heat(target)
    events = parse("\n".join(process.finish()))
    last = events[-1]
    same(last["kind"], "broken", "the last event")
    check(last["percent"] > 1 and last["max_percent"] == 1 and last["hits_per_second"] > 0 and last["hit_ns"] > 0, "it said: %s", last)
    same(target.patched(), 0, "bytes that are not as in the file")
    cases_limits.progress(target)
    cases_limits.end(target)


@case("a goprobectl of the Go client ends with it, though it is killed, and nothing is left")
def go_killed(t):
    program = t.target("counter", "-hold", 5)
    process = started(client(t, "trace", program.pid, "main.doWork"))
    check(program.probed("main.doWork"), "there is no breakpoint")
    with open("/proc/%d/task/%d/children" % (process.pid, process.pid), encoding="ascii") as f:
        tool = f.read().split()
    tool = tool or [pid for pid in os.listdir("/proc") if pid.isdigit() and parent(pid) == process.pid]
    same(len(tool), 1, "processes that it has started")
    process.signal(signal.SIGKILL)
    wait_for("the end of goprobectl", lambda: not os.path.exists("/proc/%s/exe" % tool[0]))
    wait_for("the end of its session", lambda: module_users() == 0)
    program.send()
    same(program.line(), "counter=5", "the program's result")
    same(program.patched(), 0, "bytes that are not as in the file")


def parent(pid):
    try:
        with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def forge(pid):
    """Send a process's sockets what the kernel might: failures, an end, records; how many of it they take."""
    with genl.Client() as own:
        family = own.family
    junk = genl.attr(genl.GOPROBE_A_RECORDS, b"\xff" * 64)
    taken = 0
    messages = ((genl.NLMSG_ERROR, 0, struct.pack("=i", -5) + bytes(16)), (genl.NLMSG_DONE, 2, struct.pack("=i", -5)),
                (genl.NLMSG_DONE, 2, struct.pack("=i", 0)), (family, 2, struct.pack("=BBH", genl.GOPROBE_CMD_READ, 1, 0) + junk))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, genl.NETLINK_GENERIC) as s:
        for port, (kind, flags, body) in itertools.product(ports(pid), messages):
            try:
                s.sendto(struct.pack("=IHHII", 16 + len(body), kind, flags, 0, port) + body, (port, 0))
                taken += 1
            except ConnectionRefusedError:
                pass
    return taken


@case("goprobectl accepts messages of the kernel only")
def forged(t):
    program = t.target("counter", "-hold", "-each", "1ms", 1000)
    attach = t.attach("-p", program.pid, "main.doWork").attached()
    check(ports(attach.pid), "it has no port")
    program.send()
    for _ in range(50):
        same(forge(attach.pid), 0, "messages of others that its socket takes")
        time.sleep(0.01)
    same(program.line(), "counter=1000", "the program's result")
    program.finish()
    trace = attach.finish()
    same((len(trace.calls), len(trace.returns), trace.summary["lost"]), (1000, 1000, 0), "calls, returns and losses")


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


@case("the Go client returns goprobectl's messages as errors")
def go_errors(t):
    program = t.target("counter", "-hold", 1)
    process = client(t, "trace", program.pid, "main.noSuchFunction")
    process.finish(status=1)
    check("main.noSuchFunction" in process.stderr(), "it said: %s", process.stderr())
    process = client(t, "trace", program.pid, "main.doWork(")
    process.finish(status=1)
    check("main.doWork(" in process.stderr(), "it said: %s", process.stderr())
