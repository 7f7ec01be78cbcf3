#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hours of tracing, inside the machine that tests/vm/run boots: see tests/soak/run.

    guest.py MINUTES TARGETS FILE

One program (`load`) calls two functions without a pause, as often as breakpoints let it, and counts its calls. Six
sessions look at it from before its first call until after its last; another program (`stress`) is run again and again,
with one session for all of its processes; other sessions begin and end. FILE gets a line of JSON a minute.
"""

import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.dont_write_bytecode = True

import lib                          # noqa: E402
from cases_storm import STRESS, memory, plain   # noqa: E402
from lib import GOPROBECTL, check, nothing_probed, same, wait_for     # noqa: E402

KERNEL_GROWTH = 1 << 20     # bytes, all there is, of which the module's would be a part
TOOL_GROWTH = 512           # kilobytes, of one goprobectl
HELD = 256 << 10            # kilobytes, of one that prints all records: it may hold back 64 MB of them, in queues that double
STARTED = re.compile(r"^(?:tracing|counting|timing) \d+ function", re.M)
LATE = 5                    # seconds until a rare event must have been seen
DRIFT = 0.1                 # seconds between a first event's age and a last one's


def rss(pid):
    """Kilobytes of memory that a process has in use."""
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return int(re.search(r"^VmRSS:\s+(\d+)", f.read(), re.M).group(1))


class Reader(threading.Thread):
    """Reads what a goprobectl prints, as fast as it comes; keeps what is few."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.calls, self.returns, self.lost = process, 0, 0, 0
        self.summary, self.last, self.keyed, self.ages, self.stacked = None, {}, None, [], 0
        self.start()

    def run(self):
        rest = b""
        while True:
            data = os.read(self.process.popen.stdout.fileno(), 1 << 20)
            if not data:
                break
            lines = (rest + data).split(b"\n")
            rest = lines.pop()
            now = time.time_ns()
            for line in lines:
                if line.startswith(b'{"kind":"call"'):
                    self.calls += 1
                elif line.startswith(b'{"kind":"return"'):
                    self.returns += 1
                else:
                    self.rare(json.loads(line))
                    continue
                if self.calls + self.returns == 1 or len(lines) < 4:
                    self.ages.append((now - int(re.search(rb'"time_ns":(\d+)', line).group(1))) / 1e9)

    def rare(self, event):
        if event["kind"] == "lost":
            self.lost += event["count"]
        elif event["kind"] == "summary":
            self.summary = event
        elif event["kind"] == "stack":
            self.stacked += event["count"]
        elif event["kind"] == "latency_key":
            self.keyed = event
        elif "func" in event:
            self.last[event["func"]] = event        # each interval has the sum so far

    def young(self):
        """The least age of what was seen since it was last asked, in seconds; None if there was nothing."""
        ages, self.ages = self.ages, []
        return min(ages, default=None)


class Soak:
    def __init__(self, t, minutes, out):
        self.t, self.minutes, self.out = t, minutes, out
        self.load = t.target("load", "-goroutines", 4, "-hold")
        self.sessions, self.came, self.runs, self.over = {}, 0, 0, threading.Event()
        self.problems, self.rows = [], []
        self.want = plain(t.binary("stress"))

    def session(self, name, command, *args, pid=None):
        where = ("-p", pid) if pid else ("-b", self.t.binary("stress"))
        process = self.t.goprobectl(command, *where, "-o", "json", *args)
        wait_for("%s: placing breakpoints" % process, lambda: process.ended() or STARTED.search(process.stderr()))
        check(not process.ended(), "%s ended: %s", process, process.stderr())
        self.sessions[name] = Reader(process)

    def begin(self):
        pid = self.load.pid
        self.session("count", "count", "-i", "60s", "main.handle", "main.inner", pid=pid)
        self.session("rare count", "count", "-i", "60s", "main.handle if id % 10000 == 77", pid=pid)
        self.session("rare", "attach", "main.handle if id % 10000 == 77", pid=pid)
        self.session("latency", "latency", "-i", "60s", "--histogram", "--by", "len(body)", "main.handle", pid=pid)
        self.session("stack", "stack", "main.inner", pid=pid)
        self.session("records", "attach", "main.inner", pid=pid)
        self.session("stress", "count", "-i", "60s", *STRESS)
        self.workers = [threading.Thread(target=self.guarded, args=(work,), daemon=True) for work in (self.stress, self.visit)]
        for worker in self.workers:
            worker.start()
        self.load.send()

    def guarded(self, work):
        try:
            while not self.over.is_set():
                work()
        except Exception as e:          # reported at the next minute
            self.problems.append("%s: %s" % (type(e).__name__, e))

    def stress(self):
        """A process begins, forks threads, and ends."""
        same(plain(self.t.binary("stress")), self.want, "what stress computes")
        self.runs += 1

    def visit(self):
        """A session that comes, sees, and goes."""
        p = subprocess.run([GOPROBECTL, "attach", "-p", str(self.load.pid), "-o", "json", "--max-load", "off", "--events", "20", "main.handle"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        check(p.returncode == 0, "a short session ended with %d: %s", p.returncode, p.stderr.decode())
        same(sum(b'"kind":"%s"' % kind in line for line in p.stdout.splitlines() for kind in (b"call", b"return")), 20, "events of a short session")
        self.came += 1
        self.over.wait(5)

    def calls(self, line):
        found = re.match(r"calls handle=(\d+) inner=(\d+)$", line or "")
        check(found, "load said: %s", line)
        return int(found.group(1)), int(found.group(2))

    def report(self, minute):
        self.load.send()
        handle, inner = self.calls(self.load.line())
        rare = self.sessions["rare"]
        # Something rare comes at once: how old is the youngest, and what does it become over the hours?
        row = {"minute": minute, "handle": handle, "inner": inner, "stress": self.runs, "visits": self.came, "kernel": memory(),
               "age": rare.young(), "rss": {name: rss(s.process.pid) for name, s in self.sessions.items()}}
        self.rows.append(row)
        with open(self.out, "a", encoding="ascii") as f:
            f.write(json.dumps(row) + "\n")
        print("%4d min: %d calls of handle, %d runs of stress, %d sessions came and went; kernel %d kB, goprobectl %s kB; youngest event %s s" % (
            minute, handle, self.runs, self.came, row["kernel"] >> 10, "/".join(str(k) for k in row["rss"].values()),
            "none" if row["age"] is None else "%.4f" % row["age"]), flush=True)
        check(not self.problems, "%s", "; ".join(self.problems))
        for name, s in self.sessions.items():
            check(not s.process.ended(), "the session %s has ended: %s", name, s.process.stderr())

    def run(self):
        began = time.monotonic()
        for minute in range(self.minutes + 1):
            while time.monotonic() < began + 60 * minute:
                time.sleep(0.5)
            self.report(minute)
        self.over.set()
        for worker in self.workers:
            worker.join(lib.DEADLINE)
            check(not worker.is_alive(), "the last run of stress, or the last visit, does not end")
        check(not self.problems, "%s", "; ".join(self.problems))
        self.load.popen.stdin.close()
        line = None
        for said in self.load.drain():
            line = said
        self.total = self.calls(line)
        same(self.load.wait(), 0, "how load ended")
        self.sessions["stress"].process.signal(signal.SIGINT)
        for name, s in self.sessions.items():
            s.join(lib.DEADLINE)
            check(not s.is_alive(), "the session %s goes on", name)
            same(s.process.wait(), 0, "how the session %s ended" % name)
            check(s.summary or name == "stack", "the session %s has no summary", name)


# --- claims -----------------------------------------------------------------------

def exact(s):
    handle, inner = s.total
    got = s.sessions["count"].last
    same((got["main.handle"]["calls"], got["main.inner"]["calls"]), (handle, inner), "calls that were counted")


def timed(s):
    got = s.sessions["latency"].last["main.handle"]
    same((got["calls"], got["returned"], got["open"]), (s.total[0], s.total[0], 0), "calls that were timed, that returned, and are open")
    same(sum(b["calls"] for b in got["buckets"]), s.total[0], "calls in all buckets")
    same(s.sessions["latency"].keyed["calls"], s.total[0], "calls by key")


def stacks(s):
    same(s.sessions["stack"].stacked, s.total[1], "calls with stacks")


def recorded(s):
    got = s.sessions["records"]
    same(got.calls + got.returns + got.lost, 2 * s.total[1], "records that came, and that were lost")
    check(got.calls > 1000, "only %d calls were recorded", got.calls)


def chosen(s):
    rare, counted = s.sessions["rare"], s.sessions["rare count"]
    same((rare.lost, rare.calls), (0, counted.last["main.handle"]["calls"]), "lost, and seen of what a condition chose")
    same(rare.returns, rare.calls, "returns of these")
    check(rare.calls >= s.minutes, "only %d calls passed the condition", rare.calls)


def processes(s):
    got = s.sessions["stress"].last
    # A call that grows the stack starts again. The program and goprobe both count it once.
    want = {f: s.runs * s.want["functions"][f]["calls"] for f in STRESS}
    same({f: got[f]["calls"] for f in STRESS}, want, "calls of %d processes" % s.runs)


def quarters(rows):
    """The second and the last: in the first one caches fill."""
    n = max(1, len(rows) // 4)
    return rows[n:2 * n], rows[-n:]


def no_growth(s):
    before, after = quarters(s.rows)
    held = max(r["rss"]["records"] for r in s.rows)
    check(held < HELD, "goprobectl records has grown to %d kB", held)
    for what, limit, get in [("the kernel's memory", KERNEL_GROWTH, lambda r: r["kernel"])] + [
            ("goprobectl %s" % name, TOOL_GROWTH, lambda r, name=name: r["rss"][name]) for name in s.sessions if name != "records"]:
        grown = statistics.median(map(get, after)) - statistics.median(map(get, before))
        check(grown < limit, "%s grew by %d, from %s to %s", what, grown, [get(r) for r in before], [get(r) for r in after])


def no_drift(s):
    before, after = ([r["age"] for r in rows if r["age"] is not None] for rows in quarters(s.rows))
    check(before and after, "nothing rare was seen")
    check(all(0 <= a < LATE for a in before + after), "ages of the youngest events: %s, %s", before, after)
    drift = min(after) - min(before)
    check(abs(drift) < DRIFT, "times drift by %.3f s: %s, %s", drift, before, after)


def nothing_left(_):
    wait_for("the last session ending", nothing_probed)
    wait_for("the module's reference count becoming 0", lambda: lib.module_users() == 0)


CLAIMS = [("every call was counted", exact), ("every call was timed, and returned", timed), ("every call has a stack", stacks),
          ("every call was recorded, or its loss was reported", recorded), ("all that a condition chose was seen, twice the same number", chosen),
          ("processes that came and went were all counted", processes), ("memory did not grow", no_growth), ("times did not drift", no_drift),
          ("nothing is left", nothing_left)]


def main():
    minutes, targets, out = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    with contextlib.suppress(FileNotFoundError):
        os.unlink(out)
    t = lib.Test(os.path.basename(targets), os.path.abspath(targets))
    failed = passed = 0
    try:
        soak = Soak(t, minutes, out)
        soak.begin()
        soak.run()
        for name, claim in CLAIMS:
            try:
                claim(soak)
                print("ok soak: " + name, flush=True)
                passed += 1
            except (lib.Failure, KeyError, TypeError) as e:
                print("not ok soak: %s: %s: %s" % (name, type(e).__name__, e), flush=True)
                failed += 1
        last = soak.rows[-1]
        print("%d minutes, %d calls of handle, %d of inner, %d runs of stress, %d sessions came and went; %d records came and %d were lost" % (
            minutes, *soak.total, last["stress"], last["visits"], soak.sessions["records"].calls + soak.sessions["records"].returns,
            soak.sessions["records"].lost))
    except lib.Failure as e:
        print("not ok soak: %s" % e, flush=True)
        failed += 1
    finally:
        t.close()
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
