# SPDX-License-Identifier: GPL-2.0
"""Common code of the end-to-end cases: programs with deadlines, traces, the registry.

No case sleeps and hopes: it waits for a condition with a deadline. Deadlines are
generous, for the machine is emulated and the host may be busy.
"""

import collections
import contextlib
import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import genl

GOPROBECTL = os.environ.get("GOPROBECTL", "goprobectl")
MODULE = "/run/goprobe-vm/goprobe.ko"
KMEMLEAK = "/sys/kernel/debug/kmemleak"
# A kernel that finds faults takes many times as long for everything.
PATIENCE = 8 if os.path.exists(KMEMLEAK) else 1
DEADLINE = 180 * PATIENCE   # seconds; nothing takes nearly as long unless it hangs


class Failure(Exception):
    """The claim does not hold."""


class Skip(Exception):
    """The claim can't be put to the test here; says why."""


def check(condition, text, *args):
    if not condition:
        raise Failure(text % args if args else text)


def same(got, want, what):
    check(got == want, "%s: %s, expected %s", what, short(got), short(want))


def short(value, limit=1000):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[:limit] + " ..."


@contextlib.contextmanager
def on_cpus(cpus):
    """This process, and the programs that it starts meanwhile, run on these processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def wait_for(what, condition, seconds=DEADLINE):
    """The first true value of condition(), which is asked again and again."""
    end = time.monotonic() + seconds
    pause = 0.002
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure("%s did not happen within %d s" % (what, seconds))
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


def cut_short(attempt, whole, attempts=5):
    """Check that a thing that takes whole seconds by itself can be ended early. attempt() begins it, ends it, and returns
    how long both took. A busy host can make any single attempt late; a thing that can't be ended early is late each time."""
    took = []
    while not took or took[-1] >= whole:
        check(len(took) < attempts, "what takes %s s was not cut short: in all it took %s s", whole, took)
        took.append(attempt())


# Commands that end by themselves where breakpoints take too much time.
TRACING = ("attach", "count", "latency", "stack", "graph", "stuck")


def whatever_it_takes(argv):
    """goprobectl's arguments, so that it goes on however slow this machine is, unless they say something of that."""
    if len(argv) < 3 or argv[0] != GOPROBECTL or argv[1] not in TRACING or "--max-load" in argv:
        return argv
    return argv[:2] + ["--max-load", "off"] + argv[2:]


class Process:
    """A program with pipes, or files, and deadlines."""

    def __init__(self, test, argv, stdout=subprocess.PIPE, stderr_too=False, **kwargs):
        argv = whatever_it_takes(argv)
        self.argv = argv
        self.errors = tempfile.TemporaryFile(dir=test.tmp)
        self.popen = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=stdout,
                                      stderr=subprocess.STDOUT if stderr_too else self.errors, bufsize=0, **kwargs)
        self.pid = self.popen.pid
        self.rest = b""
        test.started.append(self)

    def __str__(self):
        return " ".join(os.path.basename(a) if i == 0 else a for i, a in enumerate(self.argv))

    def line(self, seconds=DEADLINE):
        """The next line of its output, without the newline; None at the end."""
        end = time.monotonic() + seconds
        output = select.poll()
        output.register(self.popen.stdout, select.POLLIN)
        while b"\n" not in self.rest:
            if not output.poll(max(0, 1000 * (end - time.monotonic()))):
                raise Failure("%s printed no line within %d s" % (self, seconds))
            data = os.read(self.popen.stdout.fileno(), 1 << 16)
            if not data:
                last, self.rest = self.rest, b""
                return last.decode(errors="surrogateescape") or None
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode(errors="surrogateescape")

    def has_line(self):
        """Has it printed something that line() has not returned yet, or ended?"""
        output = select.poll()
        output.register(self.popen.stdout, select.POLLIN)
        return b"\n" in self.rest or bool(output.poll(0))

    def send(self, line=""):
        self.popen.stdin.write(line.encode() + b"\n")

    def drain(self):
        """All output that is still to come."""
        lines = []
        while True:
            line = self.line()
            if line is None:
                return lines
            lines.append(line)

    def stderr(self):
        return os.pread(self.errors.fileno(), 1 << 20, 0).decode(errors="replace")

    def signal(self, number):
        self.popen.send_signal(number)

    def ended(self):
        return self.popen.poll() is not None

    def threads(self):
        """(id, state) of each thread, as ps shows the state."""
        found = []
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for tid in os.listdir("/proc/%d/task" % self.pid):
                with open("/proc/%d/task/%s/stat" % (self.pid, tid)) as f:
                    found.append((int(tid), f.read().rpartition(")")[2].split()[0]))
        return found

    def wait(self, seconds=DEADLINE):
        """Its exit status."""
        try:
            return self.popen.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure("%s did not end within %d s; it said: %s" % (self, seconds, self.stderr())) from None

    def finish(self, status=0, seconds=DEADLINE):
        """Wait for its end with that exit status; its output's remaining lines."""
        if self.popen.stdin and not self.popen.stdin.closed:
            with contextlib.suppress(OSError):
                self.popen.stdin.close()
        lines = self.drain() if self.popen.stdout else []
        got = self.wait(seconds)
        check(got == status, "%s: exit status %s, expected %s; it said: %s", self, got, status, short(self.stderr()))
        return lines

    def kill(self):
        if not self.ended():
            self.popen.kill()
            self.popen.wait()
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        self.errors.close()


class Target(Process):
    """One of tests/targets that says "ready" and can be held."""

    def __init__(self, test, name, *args, **kwargs):
        super().__init__(test, [test.binary(name), *args], **kwargs)
        self.name = name
        ready = self.line()
        check(ready and ready.startswith("ready "), "%s: no ready line but %s: %s", self, ready, self.stderr())

    def mapped_code(self, offset):
        """Where the executable mapping with that offset of the file begins and ends, and with what offset."""
        with open("/proc/%d/maps" % self.pid) as maps:
            for line in maps:
                m = re.match(r"([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+\s+(.*)", line)
                if m and m.group(4) == self.argv[0]:
                    begin, end, start = (int(m.group(i), 16) for i in (1, 2, 3))
                    if start <= offset < start + end - begin:
                        return begin, end, start
        status = None
        with contextlib.suppress(subprocess.TimeoutExpired):  # its maps are empty before it has a status
            status = self.popen.wait(2)
        raise Failure("%s has no code mapped, exit status %s; it said: %s" % (self, status, short(self.stderr(), 4000)))

    def bytes_at(self, offset, size):
        """Bytes of the file in this process, and in the file."""
        begin, _, start = self.mapped_code(offset)
        with open(self.argv[0], "rb") as f:
            f.seek(offset)
            original = f.read(size)
        with open("/proc/%d/mem" % self.pid, "rb", buffering=0) as mem:
            mem.seek(begin + offset - start)
            return mem.read(len(original)), original

    def code(self, function):
        """The bytes of a function in this process, and in its file."""
        return self.bytes_at(*symbol(self.argv[0], function))

    def all_code(self):
        """The program's code in this process, and in its file."""
        begin, end, start = self.mapped_code(symbol(self.argv[0], "main.main")[0])
        return self.bytes_at(start, end - begin)

    def patched(self):
        """How many bytes of the program's code are not as in its file."""
        return sum(a != b for a, b in zip(*self.all_code()))

    def breakpoints(self):
        """How many there are, found faster than by patched()."""
        now, original = self.all_code()
        return now.count(b"\xcc") - original.count(b"\xcc")

    def probed(self, function):
        now, original = self.code(function)
        return now != original


@functools.lru_cache(maxsize=None)
def symbol(path, function):
    return genl.elf_symbol(path, function)


Trace = collections.namedtuple("Trace", "events calls returns unwound lost summary text stdout stderr")


def parse(text):
    """The events of goprobectl's JSON output."""
    events = []
    for line in text.splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            raise Failure("not a line of JSON: %s" % short(line)) from None
    return events


def of_kind(events, kind):
    return [e for e in events if e["kind"] == kind]


class Attach(Process):
    """goprobectl attach. Events go to a file, unless stdout is given."""

    def __init__(self, test, *args, json=True, stdout=None, output=True, **kwargs):
        self.output = os.path.join(test.tmp, "events-%d" % len(test.started)) if output else None
        self.json = json
        argv = [GOPROBECTL, "attach"]
        if self.output:
            argv += ["--output", self.output]
        if json:
            argv += ["-o", "json"]
        super().__init__(test, argv + [str(a) for a in args], stdout=stdout or subprocess.PIPE, **kwargs)

    def attached(self, seconds=DEADLINE):
        """Wait until it records; returns self."""
        wait_for("%s: attaching" % self, self.has_attached, seconds)
        return self

    def has_attached(self):
        if self.ended():
            raise Failure("%s ended with %s: %s" % (self, self.popen.returncode, short(self.stderr())))
        return bool(ATTACHED.search(self.stderr()))

    def finish(self, status=0, seconds=DEADLINE):
        stdout = super().finish(status, seconds)
        text = ""
        if self.output:
            with open(self.output, encoding="utf-8", errors="surrogateescape") as f:
                text = f.read()
        events = parse(text if self.output else "\n".join(stdout)) if self.json else []
        summary = of_kind(events, "summary")
        if self.json:
            check(events and events[0]["kind"] == "start" and events[0]["functions"] > 0 and events[0]["breakpoints"] > 0,
                  "the first line does not say that tracing has started: %s", short(events[:1]))
            events = events[1:]
            check(len(summary) == 1 and events[-1]["kind"] == "summary", "no summary at the end: %s", short(events[-3:]))
        lost = sum(e["count"] for e in of_kind(events, "lost"))
        if self.json:
            same(summary[0]["lost"], lost, "the summary's losses")
            same(summary[0]["events"], sum(e["kind"] in ("call", "return", "at") for e in events), "the summary's events")
        return Trace(events, of_kind(events, "call"), of_kind(events, "return"), of_kind(events, "unwound"), lost,
                     summary[0] if summary else None, text, stdout, self.stderr())

    def interrupt(self, status=0):
        """Send SIGINT, as Ctrl-C does, and return the trace."""
        self.signal(signal.SIGINT)
        return self.finish(status)


# Messages of goprobectl on stderr when it records.
ATTACHED = re.compile(r"^tracing \d+ function", re.M)


class Counter:
    """Counts kinds of events in goprobectl's JSON without parsing each line."""

    KINDS = (b'"kind":"call"', b'"kind":"return"')

    def __init__(self):
        self.calls = self.returns = 0
        self.lost = 0
        self.summary = None

    def read(self, stream):
        rest = b""
        while True:
            data = os.read(stream.fileno(), 1 << 20)
            if not data:
                break
            data = rest + data
            cut = data.rfind(b"\n") + 1
            data, rest = data[:cut], data[cut:]
            self.calls += data.count(self.KINDS[0])
            self.returns += data.count(self.KINDS[1])
            for line in re.findall(rb'^\{"kind":"(?:lost|summary)".*$', data, re.M):
                event = json.loads(line)
                if event["kind"] == "lost":
                    self.lost += event["count"]
                else:
                    self.summary = event
        return self


class Test:
    """The environment of a case: its directory, and the programs of one toolchain."""

    def __init__(self, label, targets):
        self.label = label
        self.targets = targets
        self.kernel = os.uname().release
        self.tmp = tempfile.mkdtemp(prefix="goprobe-e2e-")
        self.started = []

    @staticmethod
    def may_take(seconds):
        """From now on, on a kernel that is not slow."""
        signal.alarm(seconds * PATIENCE)

    def binary(self, name):
        """A program, copied to a local file system: what lies on the host's, a
        network file system to the guest, is deliberately not faulted in."""
        if name.startswith("/"):
            return name
        path = os.path.join(tempfile.gettempdir(), "goprobe-targets", self.label, name)
        source = os.path.join(self.targets, name)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy(source, path)
        return path

    def copy(self, name, suffix="copy"):
        """A copy of its own, for cases that change the file."""
        path = os.path.join(self.tmp, os.path.basename(name) + "-" + suffix)
        shutil.copy(self.binary(name), path)
        return path

    def run(self, *argv, **kwargs):
        return Process(self, [str(a) for a in argv], **kwargs)

    def goprobectl(self, *args, **kwargs):
        return self.run(GOPROBECTL, *args, **kwargs)

    def target(self, name, *args, **kwargs):
        return Target(self, name, *(str(a) for a in args), **kwargs)

    def attach(self, *args, **kwargs):
        return Attach(self, *args, **kwargs)

    def close(self):
        for process in reversed(self.started):
            process.kill()
        shutil.rmtree(self.tmp, ignore_errors=True)


def nothing_probed():
    """Nothing of any session is left in the module."""
    with genl.Client() as client:
        return not client.sessions()


def takes_no_locks(t):
    """Uprobes of this kernel take no lock at a hit: GP_HITS_TAKE_LOCKS of kmod/compat.h."""
    return tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", t.kernel).groups()) >= (6, 14)


@contextlib.contextmanager
def loaded_with(parameter):
    """The module, loaded with a parameter; afterwards as it was."""
    if not os.path.exists(MODULE):
        raise Skip("the module was not loaded by tests/vm/run, so there is no %s to load again" % MODULE)
    subprocess.run(["rmmod", "goprobe"], check=True)
    subprocess.run(["insmod", MODULE, parameter], check=True)
    try:
        yield
    except Failure as e:
        print("# %s" % e, flush=True)
        # What the case started still runs, with the module in use.
        with genl.Client() as client:
            owners = {int.from_bytes(m[genl.GOPROBE_A_OWNER], sys.byteorder) for m in client.sessions()}
        for pid in owners - {os.getpid()}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        raise
    finally:
        wait_for("unloading", lambda: subprocess.run(["rmmod", "goprobe"], stderr=subprocess.DEVNULL).returncode == 0)
        subprocess.run(["insmod", MODULE], check=True)


def module_users():
    with open("/proc/modules") as f:
        for line in f:
            if line.startswith("goprobe "):
                return int(line.split()[2])
    return None


def lost_memory(rounds=4):
    """The report of kmemleak on memory without references, or "".

    It counts only what is 5 s old, and what one scan finds may just be on its way, or freed after a grace period: what
    is lost stays lost.
    """
    said = ""
    for _ in range(rounds):
        time.sleep(6)
        with open(KMEMLEAK, "w") as f:
            f.write("scan")
        with open(KMEMLEAK, errors="replace") as f:
            said = f.read()
        if not said:
            break
    return said


# Set by run's --quick: what is done very often is done less often.
QUICK = False


def times(whole, quick, slow=None):
    """How often; slow is for --quick on a kernel that finds faults, if that is to be less often still."""
    return whole if not QUICK else slow if slow and PATIENCE > 1 else quick


def share(t, rows):
    """If quick, a third of many: another one with each of the releases of Go that make test-full has."""
    minor = int(re.match(r"go1\.(\d+)", t.label).group(1))
    return rows[minor % 3::3] if QUICK else rows


CASES = []
SLOW = set()                        # functions of cases that run's --fast leaves out


def case(name, per="go", slow=False):
    """Register a case. per is "go" (once for each toolchain's programs), "boot" (once), or "end" (once, when
    all others are done: the machine can't be used for tracing any more). A slow one takes 10 s or more."""
    def register(function):
        CASES.append((name, per, function))
        if slow:
            SLOW.add(function)
        return function
    return register


def run_cases(targets, cases, *args):
    """Run functions with their docstrings as names, and print the results; the exit status."""
    passed = failed = 0
    for function in cases:
        t = Test(os.path.basename(targets), os.path.abspath(targets))
        began = time.monotonic()
        try:
            function(t, *args)
            passed += 1
            print("ok %s (%.1f s)" % (function.__doc__.rstrip("."), time.monotonic() - began), flush=True)
        except Failure as e:
            failed += 1
            print("not ok %s: %s (%.1f s)" % (function.__doc__.rstrip("."), e, time.monotonic() - began), flush=True)
        finally:
            t.close()
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0
