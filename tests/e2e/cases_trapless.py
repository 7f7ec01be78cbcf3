# SPDX-License-Identifier: GPL-2.0
"""Hits without a trap: breakpoints that become jumps, in programs that count their own calls (tests/targets/whirl)."""

import errno
import json
import os
import re
import signal
import time

import genl
from cases_count import started, summary_of
from cases_tally import runtime
from genl import Client, Refused
from lib import Skip, case, check, loaded_with, nothing_probed, of_kind, parse, same, times, wait_for

FUNCTIONS = ("main.deep", "main.wide", "main.risky", "main.step")
INT3, JUMPS = 0xcc, (0xe9, 0xeb)
MAPPING = "/goprobe (deleted)"


def allowed():
    """The module, loaded so that it makes jumps; afterwards as it was."""
    return loaded_with("allow_jumps=1")


def whirl(t, *args):
    if not os.path.exists(os.path.join(t.targets, "whirl")):
        raise Skip("whirl was not built with this toolchain")
    return t.target("whirl", *args)


def points(pid):
    """The entries that the session of the process may make jumps of: {offset: point}."""
    found = {}
    with Client() as client:
        for session in client.sessions():
            for p in genl.points(session.get(genl.GOPROBE_A_POINTS, b"")):
                if p.flags & genl.GOPROBE_POINT_F_JUMP:
                    found[p.offset] = p
    return found


def first_bytes(target, offsets):
    """What is at these places of the file, in this process."""
    begin, _, start = target.mapped_code(min(offsets))
    with open("/proc/%d/mem" % target.pid, "rb", buffering=0) as mem:
        return [os.pread(mem.fileno(), 1, begin + offset - start)[0] for offset in offsets]


def byte_at(target, offset):
    return first_bytes(target, [offset])[0]


def are_jumps(target, offsets):
    return all(byte in JUMPS for byte in first_bytes(target, offsets))


def mappings(target):
    with open("/proc/%d/maps" % target.pid, encoding="utf-8") as maps:
        return sum(MAPPING in line for line in maps)


def pinned(target):
    """KiB of the program's memory that are pinned, as the kernel accounts for them."""
    with open("/proc/%d/status" % target.pid, encoding="ascii") as status:
        return int(re.search(r"^VmPin:\s*(\d+) kB", status.read(), re.M).group(1))


def count(t, target, *patterns, when="always"):
    process = started(t, "count", "-p", target.pid, "-o", "json", "--trapless", when, *patterns)
    found = points(target.pid)
    check(found, "no point may become a jump")
    return process, found


def armed(t, target, *patterns):
    """A command that counts, once all its points that may be jumps are; with these."""
    process, found = count(t, target, *patterns)
    wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
    return process, found


def counted(process):
    """What a command that has ended says: {function: calls}, and its summary."""
    events = parse("\n".join(process.finish()))
    return {e["func"]: e["calls"] for e in of_kind(events, "count")}, summary_of(events)


def traps(t):
    """What "list" says of the functions that are probed: {function: why its hits take a trap}."""
    sessions = of_kind(parse("\n".join(t.goprobectl("list", "-o", "json").finish())), "session")
    return {f["func"]: f.get("trap", "always") for s in sessions for f in s["functions"]}


def is_clean(target):
    """Its code is the file's, at the latest when no thread is on its way to generated code; that is kept, but not pinned."""
    def other():
        now, original = target.all_code()
        # Code of megabytes, byte by byte, takes seconds under load.
        return now != original and [i for i, (a, b) in enumerate(zip(now, original)) if a != b][:10]
    wait_for("the program's code as it was", lambda: not other())
    same(pinned(target), 0, "KiB that are left pinned")


def end(process, target, want, others=False):
    """It has counted what the program has, and leaves nothing behind. Its summary. With others it counts more functions than the program."""
    process.signal(signal.SIGINT)
    calls, summary = counted(process)
    if others:
        calls = {f: n for f, n in calls.items() if f in want}
    same(calls, {f: n for f, n in want.items() if f in calls}, "calls")
    same(summary["jumps_lost"], 0, "jumps that are lost")
    check(nothing_probed(), "something is still probed")
    is_clean(target)
    return summary


def last_calls(process, target):
    """The program, whose jumps have changed, makes 500 more calls and ends: what the command has counted, and its summary."""
    target.send("calls 500")
    target.line()
    process.signal(signal.SIGINT)
    calls, summary = counted(process)
    is_clean(target)
    target.finish()
    return calls["main.step"], summary


class Guest:
    """A second session at the same places: while it is there they are breakpoints."""

    def __init__(self, t, target, found):
        self.target, self.found = target, found
        self.client = Client()
        self.client.new_session(target.pid)
        self.client.add_file(target.argv[0], runtime(t))
        with open(target.argv[0], "rb") as f:
            self.points = []
            for p in found.values():
                f.seek(p.offset)
                self.points.append(genl.point(p.offset, f.read(16), 1, kind=p.kind, skip=p.skip, action=genl.GOPROBE_ACTION_COUNT))
        self.client.call(genl.GOPROBE_CMD_START)

    def come(self):
        for i in range(0, len(self.points), 100):       # one message has no space for thousands
            self.client.add_points(self.points[i:i + 100])

    def go(self):
        self.client.del_points(1)

    def visit(self, enough=lambda: False):
        """It comes and goes, and waits for the jumps, or until there is enough."""
        self.come()
        check(set(first_bytes(self.target, self.found)) == {INT3}, "a place that is shared is no breakpoint")
        self.go()
        wait_for("jumps", lambda: are_jumps(self.target, self.found) or enough())

    def calls(self):
        return self.client.tallies()[1].hits


def results_alone(t):
    """What the program computes when nothing traces it."""
    target = whirl(t)
    target.send("work 0s")
    results = json.loads(target.line())["results"]
    target.finish()
    return results


def work_through_changes(t, target, found, least, work):
    """The program works while its jumps become breakpoints and jumps again: how often, at least @least, and what it has counted."""
    guest = Guest(t, target, found)
    rounds, results = 0, []
    while rounds < least:
        target.send(work)
        while not target.has_line():
            guest.visit(target.has_line)
            rounds += 1
        want = json.loads(target.line())
        results.append(want["results"])
    guest.client.close()
    check(len(set(results)) == 1, "what the program computes differs: %s", results)
    return rounds, want


def count_through_changes(t, least, patterns=FUNCTIONS):
    """Jumps become breakpoints and jumps again, at least @least times, while the program works: how often they did, and the summary."""
    alone = results_alone(t)
    target = whirl(t)
    process, found = armed(t, target, *patterns)
    rounds, want = work_through_changes(t, target, found, least, "work 3s")
    same(want["results"], alone, "what the program computes")
    summary = end(process, target, want, others=patterns != FUNCTIONS)
    check(summary["without_trap"] > 0, "no hit was without a trap: %s", summary)
    target.finish()
    return rounds * len(found), summary


@case("trapless: all calls are counted and all results right through changes of jumps (1,000 of each without --quick), while stacks "
      "grow, panics, collections and a profile go on", slow=True)
def changes(t):
    with allowed():
        # There, and back again.
        again, summary = count_through_changes(t, times(500, 20))
        print("# %s: %d times a jump became a breakpoint and a jump again; %d calls without a trap, %d with one" %
              (t.label, again, summary["without_trap"], summary["with_trap"]), flush=True)


@case("trapless: whole sessions come and go under load, each leaves the program's code as it was", slow=True)
def sessions(t):
    with allowed():
        target = whirl(t, "-goroutines", 20)
        target.send("work 5s")
        kept = []
        for _ in range(times(8, 3)):
            # On a busy machine a session's beginning alone takes longer.
            if target.has_line():
                json.loads(target.line())
                target.send("work 5s")
            process, _ = armed(t, target, *FUNCTIONS)
            process.signal(signal.SIGINT)
            process.finish()
            is_clean(target)
            kept.append(mappings(target))
        same(max(kept), kept[0], "mappings of generated code after each session: %s" % kept)
        json.loads(target.line())
        target.finish()


CONDITIONS = (
    ("n == 7", lambda n: n == 7), ("n != 7", lambda n: n != 7), ("n < 100", lambda n: n < 100),
    ("n >= 900 && n != 950", lambda n: n >= 900 and n != 950), ("n < 0", lambda n: n < 0),
    ("n > 2147483648", lambda n: n > 2147483648), ("n % 8 == 0", lambda n: n % 8 == 0),
    ("n % 7 != 0", lambda n: n % 7 != 0), ("n % 10 == 0 && n >= 100", lambda n: n % 10 == 0 and n >= 100),
)


@case("trapless: a condition on arguments is decided without a trap")
def conditions(t):
    if int(re.match(r"go1\.(\d+)", t.label).group(1)) < 17:
        raise Skip("arguments are not in registers")
    with allowed():
        target = whirl(t)
        for text, holds in CONDITIONS:
            process, _ = armed(t, target, "main.step if " + text)
            target.send("calls 1000")
            json.loads(target.line())
            process.signal(signal.SIGINT)
            calls, summary = counted(process)
            want = sum(holds(n) for n in range(1000))
            same((sum(calls.values()), summary["filtered"]), (want, 1000 - want), "%s: calls that pass, and others" % text)
            same((summary["without_trap"], summary["with_trap"]), (1000, 0), "%s: hits without and with a trap" % text)
            is_clean(target)
        target.finish()


@case("trapless: auto makes jumps of what is called often, and of nothing else")
def hot(t):
    with allowed():
        target = whirl(t)
        process, found = count(t, target, "main.step", "main.deep", when="auto")
        target.send("calls 50")
        target.line()
        time.sleep(0.3)
        check(not any(byte_at(target, o) in JUMPS for o in found), "50 calls make a jump")
        same(traps(t), {"main.step": "rare", "main.deep": "rare"}, "what the list says")
        target.send("calls 1000")
        target.line()
        wait_for("a jump", lambda: any(byte_at(target, o) in JUMPS for o in found))
        same(sum(byte_at(target, o) in JUMPS for o in found), 1, "jumps")
        check(pinned(target) > 0, "no memory of the program is pinned")
        wait_for("the list to say so", lambda: traps(t) == {"main.step": "none", "main.deep": "rare"})
        target.send("calls 1000")
        want = json.loads(target.line())
        summary = end(process, target, want)
        check(1000 <= summary["without_trap"] < 2050, "hits without a trap: %s", summary)
        same(summary["without_trap"] + summary["with_trap"], summary["calls"], "hits with and without a trap")
        target.finish()


@case("trapless: a child that is forked alone runs right, and does not count")
def forked(t):
    with allowed():
        target = whirl(t)
        process, _ = armed(t, target, "main.step")
        target.send("fork")
        same(target.line(), "7", "how the child ended")
        target.send("calls 1000")
        want = json.loads(target.line())
        same(want["main.step"], 1000, "the program's own count")
        end(process, target, want)
        target.finish()


@case("trapless: a program that executes itself again is counted before and after")
def executed(t):
    with allowed():
        target = whirl(t)
        process, found = armed(t, target, "main.step")
        target.send("calls 1000")
        target.line()
        target.send("exec")
        check((target.line() or "").startswith("ready "), "it does not begin again")
        wait_for("jumps in the new program", lambda: are_jumps(target, found))
        calls, summary = last_calls(process, target)
        same((calls, summary["without_trap"]), (1500, 1500), "calls, and those without a trap")


@case("trapless: of a program that is killed what it has counted is not lost, and the module forgets it")
def killed(t):
    with allowed():
        for _ in range(times(6, 3)):
            target = whirl(t)
            process, _ = armed(t, target, *FUNCTIONS)
            target.send("calls 1000")
            target.line()
            target.send("work 60s")
            time.sleep(0.3)
            target.kill()
            calls, _ = counted(process)
            check(calls["main.step"] >= 1000, "calls: %s", calls)
        target = whirl(t)
        process, _ = armed(t, target, *FUNCTIONS)
        target.send("work %ds" % times(3, 1))
        process.kill()
        wait_for("the session's end", nothing_probed)
        is_clean(target)
        json.loads(target.line())
        target.finish()


@case("trapless: jumps that disappear with the pages of the code are noticed, and breakpoints take their place")
def dropped(t):
    with allowed():
        target = whirl(t)
        process, found = armed(t, target, "main.step")
        target.send("calls 1000")
        target.line()
        target.send("drop")
        same(target.line(), "dropped", "what the program says")
        wait_for("a breakpoint", lambda: all(byte_at(target, o) == INT3 for o in found))
        calls, summary = last_calls(process, target)
        same((calls, summary["without_trap"], summary["jumps_lost"]), (1500, 1000, 1), "calls and what is lost")


def lose_jumps(t, *args, **kwargs):
    """A session of which jumps disappear, and calls with them."""
    target = whirl(t)
    process = t.attach("-p", target.pid, "--no-return", "--trapless", "always", *args, "main.step if n == 123456789", **kwargs)
    process.attached()
    found = points(target.pid)
    wait_for("jumps", lambda: found and are_jumps(target, found))
    target.send("calls 1000")
    target.line()
    target.send("drop")
    target.line()
    wait_for("a breakpoint", lambda: all(byte_at(target, o) == INT3 for o in found))
    target.send("calls 500")
    target.line()
    trace = process.interrupt()
    target.finish()
    return trace


@case("trapless: a replay says what the recording said of jumps that disappeared, in text and in JSON")
def replayed(t):
    path = os.path.join(t.tmp, "lost.rec")
    with allowed():
        live = lose_jumps(t)
        said = lose_jumps(t, "--record", path, json=False, output=False).stderr.splitlines()
    begin = next(i for i, line in enumerate(said) if line.startswith("0 events in "))
    replay = t.goprobectl("replay", path)
    replay.finish()
    same(replay.stderr().splitlines(), said[begin:-1], "the summary of the replay, and that of the recording")
    for line in ("1500 calls did not pass the condition", "1000 hits without a trap",
                 "1 jump disappeared, as the program mapped its code again: calls are missing"):
        check(line in said, "no %r: %s", line, said)
    replay = parse("\n".join(t.goprobectl("replay", "-o", "json", path).finish()))[-1]
    timeless = [{k: v for k, v in s.items() if k != "seconds"} for s in (replay, live.summary)]
    same(timeless[0], timeless[1], "the summary of the replay, and of a session without a recording")


def cold_of(target, offset):
    """Where the short branch at that place of the file leads to; None if it is a long one."""
    _, code = target.bytes_at(offset, 2)
    return offset + 2 + code[1] if code[0] == 0x76 else None


def refuses(client, target, places):
    """No breakpoint can be placed there, as jumps have changed the code."""
    for place in places:
        code = target.bytes_at(place, 16)[1]
        try:
            client.add_points([genl.point(place, code, 1, kind=genl.GOPROBE_POINT_AT)])
            check(False, "a breakpoint is at %#x", place)
        except Refused as e:
            same(e.errno, errno.EBUSY, "error of a breakpoint at %#x" % place)


@case("trapless: no breakpoint goes into code that a jump has changed, and no jump where there is a breakpoint")
def neighbours(t):
    with allowed():
        target = whirl(t)
        process, found = armed(t, target, *FUNCTIONS)
        colds = [c for c in map(lambda o: cold_of(target, o), found) if c]
        check(colds, "no branch is short")
        with Client() as client:
            client.new_session(target.pid)
            client.add_file(target.argv[0], runtime(t))
            refuses(client, target, colds)
            process.signal(signal.SIGINT)
            process.finish()
            client.add_points([genl.point(place, target.bytes_at(place, 16)[1], 1, kind=genl.GOPROBE_POINT_AT) for place in colds])
            process, found = count(t, target, *FUNCTIONS)
            free = [o for o in found if not cold_of(target, o)]
            wait_for("the other jumps", lambda: are_jumps(target, free))
            wait_for("the list to say so", lambda: set(traps(t).values()) == ({"none", "shared"} if free else {"shared"}))
            check(all(byte_at(target, o) == INT3 for o in found if o not in free), "a jump is where a breakpoint is in its cold block")
            target.send("calls 1000")
            want = json.loads(target.line())
            process.signal(signal.SIGINT)
            same(counted(process)[0]["main.step"], want["main.step"], "calls")
        is_clean(target)
        target.finish()


def attached(t, target, *patterns):
    """A trace of calls alone, once all its points that may be jumps are; with these."""
    trace = t.attach("--no-return", "-p", target.pid, "--trapless", "always", *patterns).attached()
    found = points(target.pid)
    check(found, "no point may become a jump")
    wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
    return trace, found


def alike(trace):
    """Its calls, without what differs from one run to the next: the stack, and so what lies there, may move."""
    for e in trace.calls:
        for arg in e["args"]:
            if "to" in arg:
                del arg["value"]
    return [{k: v for k, v in e.items() if k not in ("time_ns", "tid")} for e in trace.calls]


@case("trapless: a trace has the same records of calls that pass a condition, and the others take no trap")
def records(t):
    with allowed():
        target = whirl(t)
        traces = []
        for trapless in False, True:
            spec = "main.step if n % 100 == 0"
            trace = attached(t, target, spec)[0] if trapless else t.attach("--no-return", "-p", target.pid, spec).attached()
            target.send("calls 1000")
            json.loads(target.line())
            traces.append(trace.interrupt())
            is_clean(target)
        same([e["args"][1]["value"] for e in traces[1].calls], list(range(0, 1000, 100)), "values of n")
        same(alike(traces[1]), alike(traces[0]), "calls")
        same([trace.summary["filtered"] for trace in traces], [990, 990], "calls that do not pass")
        same([trace.summary.get("without_trap") for trace in traces], [None, 990], "of these, without a trap")
        target.finish()


@case("trapless: records and rejected calls are all calls through changes of the code, while stacks grow and collections go on",
      slow=True)
def records_changes(t):
    with allowed():
        target = whirl(t, "-goroutines", 50)
        trace, found = attached(t, target, *(f + " if n % 64 == 0" if f == "main.step" else f + " if n == 5" for f in FUNCTIONS))
        _, want = work_through_changes(t, target, found, times(60, 8), "work 2s")
        summary = trace.interrupt().summary
        same(summary["calls"] + summary["lost"] + summary["filtered"], sum(want[f] for f in FUNCTIONS), "calls")
        check(0 < summary["without_trap"] <= summary["filtered"], "calls rejected without a trap: %s", summary)
        check(nothing_probed(), "something is still probed")
        is_clean(target)
        target.finish()


@case("trapless: a trace of a program that forks, executes itself again and is killed has its calls and no other's")
def records_processes(t):
    with allowed():
        target = whirl(t)
        trace, found = attached(t, target, "main.step if n < 10")
        target.send("fork")
        same(target.line(), "7", "how the child ended")
        target.send("calls 100")
        target.line()
        target.send("exec")
        check((target.line() or "").startswith("ready "), "it does not begin again")
        wait_for("jumps in the new program", lambda: are_jumps(target, found))
        target.send("calls 100")
        target.line()
        target.send("work 60s")
        time.sleep(0.3)
        target.kill()
        ended = trace.finish()
        same([e["args"][1]["value"] for e in ended.calls[:20]], 2 * list(range(10)), "values of n")
        wait_for("the session's end", nothing_probed)


@case("trapless: traces come and go under load, each leaves the program's code as it was", slow=True)
def records_sessions(t):
    with allowed():
        target = whirl(t, "-goroutines", 20)
        target.send("work %ds" % times(30, 10))
        n, kept = 0, []
        while not target.has_line():
            trace, _ = attached(t, target, *(f + " if n == 5" for f in FUNCTIONS))
            check(trace.interrupt().summary["calls"] >= 0, "no calls")
            is_clean(target)
            n += 1
        check(n >= times(5, 2), "only %d sessions", n)
        json.loads(target.line())
        target.finish()


@case("trapless: without allow_jumps nothing becomes a jump, and who insists is refused")
def refused(t):
    target = whirl(t)
    for options in (), ("--trapless", "auto"):
        process = started(t, "count", "-p", target.pid, "-o", "json", *options, "main.step")
        target.send("calls 1000")
        target.line()
        time.sleep(0.3)
        same(mappings(target), 0, "mappings")
        process.signal(signal.SIGINT)
        calls, summary = counted(process)
        same((calls["main.step"], "without_trap" in summary), (1000, False), "calls, and whether some are without a trap")
    process = t.goprobectl("count", "-p", target.pid, "--trapless", "always", "main.step")
    process.finish(1)
    check("allow_jumps=1" in process.stderr(), "it said: %s", process.stderr())
    process = t.goprobectl("count", "-p", target.pid, "--trapless", "sometimes", "main.step")
    process.finish(2)
    check("off, auto or always" in process.stderr(), "it said: %s", process.stderr())
    with Client() as client:
        try:
            client.new_session(target.pid, flags=genl.GOPROBE_SESSION_F_JUMPS)
            check(False, "a session gets jumps")
        except Refused as e:
            same(e.errno, errno.EPERM, "error of a session that wants jumps")
    target.finish()
