# SPDX-License-Identifier: GPL-2.0
"""Begin and end of sessions: nothing may be left behind, whatever happens."""

import contextlib
import errno
import os
import random
import re
import signal
import struct
import subprocess
import time

import genl
from cases_refuse import Misuse
from genl import Client
from lib import MODULE, Skip, case, check, module_users, nothing_probed, parse, same, short, times, wait_for


@case("Ctrl-C detaches, prints the summary and exits 0")
def interrupt(t):
    target = t.target("counter", "-each", "1ms", 0)
    attach = t.attach("-p", target.pid, "main.doWork", json=False).attached()
    wait_for("a first event", lambda: os.path.getsize(attach.output) > 200)
    trace = attach.interrupt(status=0)
    check(re.search(r"\d+ events? in [\d.]+m?s, 0 lost", trace.stderr), "no summary: %s", trace.stderr)
    check(not target.probed("main.doWork"), "a breakpoint is left in the target")
    check(not target.ended(), "the target ended")


@case("SIGTERM detaches as Ctrl-C does")
def terminate(t):
    target = t.target("counter", "-each", "1ms", 0)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    attach.signal(signal.SIGTERM)
    check(attach.finish().summary, "no summary")
    check(not target.probed("main.doWork"), "a breakpoint is left in the target")


@case("Ctrl-C with a command leaves the command to itself")
def interrupt_command(t):
    attach = t.attach("main.doWork", "--", t.binary("counter"), "-each", "1ms", "-hold", 20)
    pid = int(attach.line().split()[1])
    attach.send()
    same(attach.line(), "counter=20", "the command's output")
    attach.send()
    same(len(attach.finish().calls), 20, "calls")
    wait_for("the command ending", lambda: not os.path.exists("/proc/%d" % pid))


@case("the end of the target ends the trace")
def target_ends(t):
    target = t.target("counter", "-hold", 5)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    target.send()
    target.send()
    target.finish()
    same(len(attach.finish(status=0).calls), 5, "calls")


@case("goprobectl waits for a command that outlives the trace, says so, and Ctrl-C ends both")
def command_goes_on(t):
    attach = t.attach("--events", 2, "main.doWork", "--", t.binary("counter"), "-each", "1ms", 0)
    pid = int(attach.line().split()[1])
    wait_for("the summary and what follows", lambda: "process %d goes on: waiting for its exit status, Ctrl-C ends both" % pid
             in attach.stderr())
    check(os.path.exists("/proc/%d" % pid), "the command has ended")
    same(len(attach.interrupt(status=128 + signal.SIGINT).events), 3, "two events and a summary")
    wait_for("the command ending", lambda: not os.path.exists("/proc/%d" % pid))


@case("notices stand above the header, and the header above the events")
def header(t):
    attach = t.attach("main.doWork", "--", t.binary("counter"), 2, json=False, output=False, stderr_too=True)
    lines = [line for line in attach.finish().stdout if not line.startswith(("ready", "counter="))]
    check(lines[0].startswith("tracing 1 function at "), "first of all: %s", lines)
    check(re.match("TIME +GOID +EVENT$", lines[1]) and "> main.doWork()" in lines[2], "then: %s", lines)


@case("-p with -b traces the chosen processes of those that run the file, also one that does not yet")
def chosen_of_file(t):
    both = [t.target("counter", "-hold", n) for n in (5, 7)]
    path = both[0].argv[0]
    attach = t.attach("-b", path, "-p", both[0].pid, "main.doWork").attached()
    for target in reversed(both):
        target.send()
        target.line()
    same(both[1].probed("main.doWork"), False, "a breakpoint in a process that was not chosen")
    both[0].send()
    trace = attach.finish()
    same((len(trace.calls), {e["pid"] for e in trace.calls}), (5, {both[0].pid}), "calls, and by whom")
    # A shell that becomes the program when it gets a line.
    shell = t.run("sh", "-c", 'read x; exec "$0" "$@"', path, "3")
    attach = t.attach("-p", shell.pid, "-b", path, "main.doWork").attached()
    check("process %d has no code of %s in its memory: it is traced once it has" % (shell.pid, path) in attach.stderr(),
          "it is not said that it is another program: %s", attach.stderr())
    shell.send()
    same(len(attach.finish().calls), 3, "calls of the program that the shell has become")


def has_call(attach):
    with open(attach.output, encoding="ascii") as f:
        return '"kind":"call"' in f.read()


@case("a command that dies of a signal ends the trace, with 128 and the signal's number")
def command_killed(t):
    attach = t.attach("main.doWork", "--", t.binary("counter"), "-each", "1ms", 0)
    pid = int(attach.line().split()[1])
    wait_for("a first call", lambda: has_call(attach))
    os.kill(pid, signal.SIGKILL)
    check(attach.finish(status=128 + signal.SIGKILL).calls, "no calls")


@case("a killed target ends the trace")
def target_killed(t):
    target = t.target("load", "-pause", "1ms")
    attach = t.attach("-p", target.pid, "main.handle").attached()
    wait_for("a first call", lambda: has_call(attach))
    target.signal(signal.SIGKILL)
    check(attach.finish(status=0).calls, "no calls")


@case("a reader that closes the pipe ends the trace silently")
def broken_pipe(t):
    target = t.target("counter", "-each", "1ms", 0)
    attach = t.attach("-p", target.pid, "main.doWork", json=False, output=False)
    check(attach.line() is not None, "no output: %s", attach.stderr())
    attach.popen.stdout.close()
    attach.popen.stdout = None
    status = attach.wait()
    check(status in (0, -signal.SIGPIPE), "exit status %s: %s", status, attach.stderr())
    check("rror" not in attach.stderr(), "it complained: %s", attach.stderr())
    check(not target.probed("main.doWork"), "a breakpoint is left in the target")


@case("--output FILE takes the events and nothing else goes to stdout")
def output_file(t):
    path = os.path.join(t.tmp, "out.json")
    attach = t.attach("--output", path, "main.foo", "--", t.binary("example"), output=False)
    same(attach.drain(), ["x=99, y=9801, z=0", "z=9900"], "stdout")
    same(attach.wait(), 0, "exit status")
    with open(path) as f:
        same([e["kind"] for e in parse(f.read())], ["start", "call", "return", "summary"], "events")


def rate(target):
    """Calls that load manages in a second."""
    def calls():
        target.send()
        return int(re.match(r"calls handle=(\d+)", target.line()).group(1))
    first, start = calls(), time.monotonic()
    time.sleep(1)                   # a measurement, not a wait
    return (calls() - first) / (time.monotonic() - start)


@case("after SIGKILL of goprobectl very often under load, 100 times or if quick 40, nothing is left", per="boot", slow=True)
def kill_storm(t):
    target = t.target("load", "-goroutines", 2)
    chance = random.Random(1)
    before = max(rate(target) for _ in range(3))
    killed_attached, rounds = 0, times(25, 10, 4)
    for round_ in range(rounds):
        # Four at a time: they share breakpoints, and die in any order, at any
        # moment of their lives.
        victims = [t.attach("-p", target.pid, "main.handle", "main.inner") for _ in range(4)]
        if round_ % 5 == 0:
            for victim in victims:
                victim.attached()
        elif round_ % 5 < 4:
            victims[0].attached()
        else:
            time.sleep(chance.random() * 0.5)       # any moment is a good one
        killed_attached += target.probed("main.inner")
        chance.shuffle(victims)
        for victim in victims:
            victim.signal(signal.SIGKILL)
        for victim in victims:
            same(victim.wait(), -signal.SIGKILL, "how goprobectl ended")
            victim.kill()
            t.started.remove(victim)
            with contextlib.suppress(FileNotFoundError):        # killed before it had opened it
                os.unlink(victim.output)
    check(killed_attached >= rounds * 4 // 5, "only %d of %d rounds had breakpoints when they were killed", killed_attached, rounds)
    wait_for("the last session ending", nothing_probed)
    listing = "\n".join(t.goprobectl("list").finish())
    check("main." not in listing, "list says: %s", listing)
    for function in "main.handle", "main.inner":
        now, original = target.code(function)
        same(now.hex(), original.hex(), "the code of " + function)
    check(not target.ended(), "the target ended: %s", target.rest)
    # One breakpoint left would make it a hundred times slower; a busy host makes
    # it a few times slower, for as long as it is busy.
    wait_for("running about as fast as before (%d calls/s)" % before, lambda: rate(target) > before / 10)
    wait_for("the module's reference count becoming 0", lambda: module_users() == 0)
    reload_module()
    same(t.attach("main.foo", "--", t.binary("example")).finish().summary["events"], 2, "events after loading it again")


@case("SIGKILL of goprobectl while it places breakpoints leaves none", per="boot", slow=True)
def kill_placing(t):
    target = t.target("load", "-goroutines", 2)
    # Everything that the program does; nobody wants to read that.
    everything = ("--record", "/dev/null", "-p", target.pid, "/./")
    whole = t.attach(*everything, json=False, output=False).attached()
    most = target.patched()
    whole.interrupt()
    same(target.patched(), 0, "breakpoints left by Ctrl-C, of %d" % most)
    chance, halfway = random.Random(2), 0
    rounds = times(6, 2, 1)
    for round_ in range(3 * rounds):
        attach = t.attach(*everything, json=False, output=False)
        # Any moment is a good one.
        some = chance.randrange(1, most // 2)
        wait_for("%d of %d breakpoints" % (some, most), lambda n=some: target.breakpoints() >= n)
        # On a busy host the signal can be late and meet a goprobectl that has placed all breakpoints.
        halfway += not attach.has_attached()
        attach.signal(signal.SIGKILL)
        same(attach.wait(), -signal.SIGKILL, "how goprobectl ended")
        same(target.patched(), 0, "breakpoints left in round %d, of %d" % (round_, most))
        if halfway == rounds:
            break
    check(halfway == rounds, "only %d of %d were killed on the way", halfway, 3 * rounds)
    check(not target.ended(), "the target ended: %s", target.rest)


def reload_module(parameters=()):
    if not os.path.exists(MODULE):
        raise Skip("the module was not loaded by tests/vm/run, so there is no %s to load again" % MODULE)
    subprocess.run(["rmmod", "goprobe"], check=True)
    subprocess.run(["insmod", MODULE, *parameters], check=True)


@case("info shows the module's version, abilities and limits", per="boot")
def info(t):
    text = "\n".join(t.goprobectl("info").finish())
    with open("/sys/module/goprobe/version") as f:
        check(f.read().strip() in text, "the module's version is not in: %s", text)
    for word in "fault_in", "tally", "filter", "ring_bytes", "pending_bytes", "goroutines":
        check(re.search(r"\b%s\b" % word, text), "%s is not in: %s", word, text)


@case("netlink: a client of another protocol version gets the reason instead of information", per="boot")
def other_version(t):
    with Client() as client:
        client.call(genl.GOPROBE_CMD_GET_INFO)
        try:
            client.call(genl.GOPROBE_CMD_GET_INFO, version=genl.GOPROBE_GENL_VERSION - 1)
        except genl.Refused as e:
            same(e.errno, errno.EPROTO, "the error")
            check("another version of the protocol" in e.message, "the reason: %s", e.message)
        else:
            check(False, "it was answered")


@case("netlink: the list has all files, processes and points of a session, in several messages", per="boot")
def listing(t):
    paths = [t.binary("load"), t.binary("example")]
    pids = [t.target("load", "-pause", "1s").pid, os.getpid()]
    given = []
    with Client() as client:
        client.new_session(*pids, ring=64 << 10)
        # In turns, so that points of one file stand between the other's; 1,000 fit no message.
        for number, path in enumerate(paths):
            same(client.add_file(path), number, "a file's number")
        for k in range(11):
            offset, _ = genl.elf_symbol(paths[k % 2], "main.main")
            with open(paths[k % 2], "rb") as f:
                f.seek(offset)
                code = f.read(8)
            batch = [genl.point(offset, code, 100 * k + i, action=genl.GOPROBE_ACTION_COUNT) for i in range(100)]
            if k == 10:
                # They are looked through at each hit: a page of them, 506.
                full = Misuse()
                full("600 probes at one place", lambda: client.add_points(batch, file=k % 2), errno.EUSERS)
                full.verdict()
                break
            client.add_points(batch, file=k % 2)
            given.append({100 * k + i for i in range(100)})
        messages = client.sessions()
        check(len(messages) > len(paths), "%d messages", len(messages))
        found = {0: [], 1: []}
        for m in messages:
            file = genl.number(m[genl.GOPROBE_A_FILE])
            same(sorted(struct.unpack("=%di" % len(pids), m[genl.GOPROBE_A_PIDS])), sorted(pids), "processes")
            same(m[genl.GOPROBE_A_PATH].rstrip(b"\0").decode(), os.path.realpath(paths[file]), "a file's path")
            found[file] += [p.id for p in genl.points(m[genl.GOPROBE_A_POINTS])]
        for number, ids in found.items():
            same(len(ids), len(set(ids)), "points of file %d, and different ones" % number)
            same(set(ids), set().union(*given[number::2]), "points of file %d" % number)
    wait_for("the end of the session", nothing_probed)


def code_of(path, function):
    offset, _ = genl.elf_symbol(path, function)
    with open(path, "rb") as f:
        f.seek(offset)
        return offset, f.read(16)


def pinned(t, cpu, hits):
    """A counter, all its threads on that processor: a thread that starts meanwhile may not have inherited that."""
    target = t.target("counter", "-hold", hits)
    while loose := [tid for tid, _ in target.threads() if os.sched_getaffinity(tid) != {cpu}]:
        for tid in loose:
            os.sched_setaffinity(tid, {cpu})
    return target


def calls(target, hits):
    target.send()
    same(target.line(), "counter=%d" % hits, "the program's result")


@case("netlink: a record that does not fit into a message comes in the next one", per="boot")
def full_messages(t):
    path = t.binary("counter")
    offset, code = code_of(path, "main.doWork")
    # A message has 32416 bytes for the records of its first processor, 32 less for those of another one. Its end: 8 records of
    # 4048 bytes leave no space for it.
    target = pinned(t, 0, 8)
    with Client() as client:
        client.new_session(target.pid, ring=64 << 10)
        client.add_file(path, genl.runtime())
        client.add_types([genl.type_(4000)])
        client.add_plans([genl.plan(0, 0, 1)], [genl.piece(genl.GOPROBE_FROM_INT_REG, 0, 8, 0)])
        client.add_points([genl.point(offset, code, plan=0)])
        client.call(genl.GOPROBE_CMD_START)
        calls(target, 8)
        same(len(client.records()), 8, "records")
    # Losses: of 1365 records of 48 bytes, as many as a ring holds, 15 come behind 659, and two times 675 leave 16 bytes of
    # a message, too few for its header; or 16 behind 658, and 675 and 674 leave 64, too few for what comes behind that.
    for before in 659, 658:
        first, second = pinned(t, 0, before), pinned(t, 1, 2000)
        with Client() as client:
            client.new_session(first.pid, second.pid, ring=64 << 10)
            client.add_file(path, genl.runtime())
            client.add_points([genl.point(offset, code)])
            client.call(genl.GOPROBE_CMD_START)
            calls(first, before)
            calls(second, 2000)
            client.call(genl.GOPROBE_CMD_STOP)
            found = client.records()
            lost = [genl.LAYOUT.lost.unpack(r.body).count for r in found if r.kind == genl.GOPROBE_RECORD_LOST]
            same((len(found) - len(lost), lost), (before + 1365, [2000 - 1365]), "records and losses")


@case("netlink: a process that exited before points are placed does not prevent those of others", per="boot")
def ended_before(t):
    path = t.binary("counter")
    offset, code = code_of(path, "main.doWork")
    target, short_lived = t.target("counter", "-hold", 10), t.target("counter", "-hold", 10)
    with Client() as client:
        client.new_session(short_lived.pid, target.pid)
        client.add_file(path, genl.runtime())
        short_lived.kill()
        client.add_points([genl.point(offset, code, action=genl.GOPROBE_ACTION_COUNT)])
        client.call(genl.GOPROBE_CMD_START)
        target.send()
        same(target.line(), "counter=10", "the program's result")
        same(client.tallies()[0].hits, 10, "calls")


@case("netlink: the list has every session, wherever one ends a message; there are 256 at most", per="boot")
def many_sessions(t):
    path = t.binary("load")
    offset, _ = genl.elf_symbol(path, "main.main")
    with open(path, "rb") as f:
        f.seek(offset)
        code = f.read(8)
    # A message to a reader with a large buffer: 32 KiB less what the kernel keeps behind it.
    space, big, head = 32448, 1000, 40
    with_file = 20 + 8 + 8 + 8 + (4 + len(os.path.realpath(path)) + 1 + 3) // 4 * 4 + 4 + 56
    want, clients = [], []

    def add(npids, file=False):
        client = Client()
        clients.append(client)
        client.new_session(*[os.getpid()] * npids, ring=64 << 10)
        if file:
            client.add_file(path)
            client.add_points([genl.point(offset, code, len(clients), action=genl.GOPROBE_ACTION_COUNT)])
        want.append((npids, len(clients) if file else None))
    try:
        spilled = 0
        # Each message has less and less space for the last one's session, processes, file, path and point.
        for left in range(200, 0, -8):
            for _ in range(7):
                add(big)
            add(200)
            add((space - spilled - 7 * (head + 4 * big) - (head + 800) - head - left) // 4)
            add(0, file=True)
            spilled = 0 if left >= with_file else with_file
        while len(clients) < 256:
            add(0)
        with Client() as one_more:
            full = Misuse()
            full("257 sessions", lambda: one_more.new_session(ring=64 << 10), errno.EUSERS)
            full.verdict()
            found = []
            for m in one_more.sessions():
                points = [p.id for p in genl.points(m.get(genl.GOPROBE_A_POINTS, b""))]
                if genl.GOPROBE_A_FILE in m:
                    same(m[genl.GOPROBE_A_PATH].rstrip(b"\0").decode(), os.path.realpath(path), "a file's path")
                    same(len(points), 1, "points of a session")
                found.append((len(m.get(genl.GOPROBE_A_PIDS, b"")) // 4, points[0] if points else None))
        same(found, want, "sessions")
    finally:
        for client in clients:
            client.close()
    wait_for("the end of the sessions", nothing_probed)


@case("the module can't be unloaded under a session, and can after it", per="boot")
def unload(t):
    target = t.target("load", "-pause", "5ms")
    attach = t.attach("-p", target.pid, "main.inner").attached()
    check(subprocess.run(["rmmod", "goprobe"], stderr=subprocess.DEVNULL).returncode != 0, "it was unloaded under a session")
    check(module_users(), "the session holds no reference")
    attach.interrupt()
    wait_for("the module's reference count becoming 0", lambda: module_users() == 0)
    reload_module()


@case("sessions come and go while a process starts and ends all the time")
def short_processes(t):
    attach = t.attach("-b", t.binary("counter"), "main.doWork").attached()
    for _ in range(20):
        subprocess.run([t.binary("counter"), "7"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    trace = attach.interrupt()
    calls = {}
    for event in trace.calls:
        calls[event["pid"]] = calls.get(event["pid"], 0) + 1
    same(sorted(calls.values()), [7] * 20, "calls by process")


@case("a binary that is deleted while it runs can be traced by pid")
def deleted_binary(t):
    path = t.copy("counter")
    target = t.target(path, "-hold", 9)
    os.unlink(path)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    target.send()
    same(target.line(), "counter=9", "the program's result")
    same(len(attach.interrupt().calls), 9, "calls")


@case("all of a program's functions at once, and the program's results are the same")
def everything(t):
    plain = subprocess.run([t.binary("example")], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    trace = t.attach("main.*", "fmt.*", "strconv.*", "--", t.binary("example")).finish()
    same(trace.stdout, plain, "the program's own output")
    functions = {e["func"] for e in trace.calls}
    check({"main.main", "main.foo", "fmt.Fprintf"} <= functions, "functions: %s", short(sorted(functions)))
