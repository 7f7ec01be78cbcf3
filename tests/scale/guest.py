#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Large numbers of functions, sessions, processes and goroutines, inside the machine that tests/vm/run boots: see tests/scale/run.

    guest.py PACKER MANY TARGETS
"""

import collections
import contextlib
import json
import os
import re
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.dont_write_bytecode = True

import genl                         # noqa: E402
import lib                          # noqa: E402
from lib import check, same, wait_for   # noqa: E402

FUNCTIONS = 10000
POINTS = 25000
SECONDS = 120           # emulated, with both processors of the host busy
SESSIONS = 64
PROCESSES = 1000
GOROUTINES = 100000


def kernel_memory():
    """Bytes of slab and vmalloc memory, system wide."""
    with open("/proc/meminfo") as f:
        info = dict(re.findall(r"^(\w+):\s+(\d+)", f.read(), re.M))
    return (int(info["Slab"]) + int(info["VmallocUsed"])) << 10


def many_functions(t, packer, _):
    """10,000 functions, some 30,000 points, of a running program of 107 MB, in one attach."""
    said = plain(t)
    # Reads what to evaluate until there is no more, and then prints the last result.
    program = t.run("/tmp/packer", "console")
    program.send(EXPRESSION)
    pattern = r"/^github\.com\/(Azure|aws|hashicorp)\/.*/"
    before = kernel_memory()
    began = time.monotonic()
    attach = t.attach("-p", program.pid, "--depth", "0", pattern).attached(600)
    armed = time.monotonic() - began
    grown = kernel_memory() - before
    functions, points = map(int, re.search(r"tracing (\d+) functions at (\d+) breakpoints", attach.stderr()).groups())
    check(functions >= FUNCTIONS and points >= POINTS, "only %d functions at %d points", functions, points)
    check(re.search(r"\d+ of \d+ breakpoints placed", attach.stderr()), "no progress was reported: %s", attach.stderr())
    began = time.monotonic()
    attach.interrupt()
    disarmed = time.monotonic() - began
    check(armed < SECONDS and disarmed < SECONDS, "it took %.1f s and %.1f s", armed, disarmed)
    begin, end, offset = program_code(program)
    same(changed(program.pid, "/tmp/packer", begin, end, offset), 0, "bytes of the program that are not as in its file")
    attach = t.attach("-p", program.pid, "--depth", "0", "--lossless", pattern).attached(600)
    same(program.finish(), said, "what it prints while it is traced")
    trace = attach.finish(seconds=600)
    check(trace.calls and trace.returns and not trace.lost, "%s", trace.summary)
    print("   %d functions, %d points: armed in %.1f s, disarmed in %.1f s, %d bytes of kernel memory for each point; %d events" %
          (functions, points, armed, disarmed, grown // points, trace.summary["events"]))


EXPRESSION = "{{ upper `packer` }}"


def plain(t):
    """The program's report without a tracer."""
    program = t.run("/tmp/packer", "console")
    program.send(EXPRESSION)
    return program.finish()


def program_code(program):
    """Where the program's code is mapped: begin, end, offset in the file."""
    with open("/proc/%d/maps" % program.pid) as maps:
        for line in maps:
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) .*/packer$", line)
            if m:
                return tuple(int(n, 16) for n in m.groups())
    raise lib.Failure("no code is mapped")


def changed(pid, path, begin, end, offset):
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as mem, open(path, "rb") as f:
        mem.seek(begin)
        f.seek(offset)
        left, n = end - begin, 0
        while left:
            now, was = mem.read(min(left, 1 << 20)), f.read(min(left, 1 << 20))
            n += sum(a != b for a, b in zip(now, was)) if now != was[:len(now)] else 0
            left -= len(now)
    return n


def point_of(path, name):
    offset, size, _ = genl.elf_place(path, name)
    with open(path, "rb") as f:
        f.seek(offset)
        return genl.point(offset, f.read(min(size, 8)))


def many_sessions(t, _packer, _many):
    """64 sessions on one function at once: each gets every call."""
    calls = 500
    target = t.target("counter", "-hold", calls)
    path = target.argv[0]
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(genl.Client()) for _ in range(SESSIONS)]
        for client in clients:
            client.new_session(target.pid)
            client.add_file(path)
            client.add_points([point_of(path, "main.doWork")])
            client.call(genl.GOPROBE_CMD_START)
        target.send()
        same(target.line(), "counter=%d" % calls, "the program's result")
        for client in clients:
            client.call(genl.GOPROBE_CMD_STOP)
        got = collections.Counter(len(client.records()) for client in clients)
        same(got, {calls: SESSIONS}, "records of each session")
    wait_for("the last session ending", lib.nothing_probed)


def many_processes(t, _packer, _many):
    """1,000 processes of one binary, -b: each call of each is seen, and nothing is left in any."""
    calls = 3
    # As small as a Go program gets.
    env = dict(os.environ, GOMAXPROCS="1")
    targets = [t.target("counter", "-hold", calls, env=env) for _ in range(PROCESSES)]
    began = time.monotonic()
    attach = t.attach("-b", targets[0].argv[0], "main.doWork").attached(600)
    armed = time.monotonic() - began
    for target in targets:
        target.send()
    for target in targets:
        same(target.line(), "counter=%d" % calls, "a program's result")
    began = time.monotonic()
    trace = attach.interrupt()
    disarmed = time.monotonic() - began
    got = collections.Counter(e["pid"] for e in trace.calls)
    same(len(got), PROCESSES, "processes with calls")
    same(set(got.values()), {calls}, "calls of each")
    same((len(trace.returns), trace.lost), (PROCESSES * calls, 0), "returns and losses")
    same(sum(target.probed("main.doWork") for target in targets), 0, "processes with a breakpoint left")
    print("   armed in %.1f s, disarmed in %.1f s" % (armed, disarmed))


def many_goroutines(t, _packer, many):
    """100,000 goroutines with open calls: each return finds its own call."""
    target = t.run("/tmp/many", GOROUTINES)
    check(target.line().startswith("ready"), "it is not ready")
    output = os.path.join(t.tmp, "events")
    attach = t.attach("-p", target.pid, "--depth", "0", "--lossless", "--output", output, "main.stay", output=False).attached()
    target.send()
    same(target.line(600), "in %d" % GOROUTINES, "goroutines with open calls")
    start = time.monotonic()
    listing = t.goprobectl("goroutines", "-p", target.pid, "--with", "main.stay", "--group", "stack", "-o", "json")
    groups = [json.loads(line) for line in listing.finish(seconds=600)]
    print("   goroutines listed in %.1f s" % (time.monotonic() - start))
    same([(g["count"], g.get("labels")) for g in groups], [(GOROUTINES, None)], "goroutines in main.stay, of consistent rows")
    target.send()
    same(target.line(600), "sum %d" % (GOROUTINES * (GOROUTINES - 1)), "the program's result")
    attach.signal(2)
    attach.popen.wait(600)
    numbers, wrong, returns = {}, 0, 0
    with open(output) as f:
        for line in f:
            event = json.loads(line)
            if event["kind"] == "call":
                numbers[event["goid"]] = event["args"][0]["value"]
            elif event["kind"] == "return":
                returns += 1
                wrong += event["results"][0]["value"] != 2 * numbers[event["goid"]] or "duration_ns" not in event
    same((len(numbers), returns, wrong, event["lost"]), (GOROUTINES, GOROUTINES, 0, 0), "calls, returns, wrong ones, losses")


def eight_processors(t, _packer, _many):
    """8 processors: 200 goroutines 1,000 deep, migrating, panicking: all calls and returns, the program's result unchanged."""
    same(os.cpu_count(), 8, "processors")
    import cases_trace
    cases_trace.stress(t)


def main():
    packer, many, targets = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))
    subprocess.run(["cp", packer, "/tmp/packer"], check=True)
    subprocess.run(["cp", many, "/tmp/many"], check=True)
    return lib.run_cases(targets, (many_functions, many_sessions, many_processes, many_goroutines, eight_processors), packer, many)


if __name__ == "__main__":
    sys.exit(main())
