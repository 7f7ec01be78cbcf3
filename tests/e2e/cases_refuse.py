# SPDX-License-Identifier: GPL-2.0
"""Refused input: one clear message, the right exit code, nothing left behind."""

import errno
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile

import genl
from genl import Client, Refused
from lib import DEADLINE, GOPROBECTL, MODULE, Skip, case, check, nothing_probed, of_kind, parse, same, short, wait_for

def run(argv, tool=GOPROBECTL, **kwargs):
    """Exit status and stderr of goprobectl; it must not wait for anything."""
    result = subprocess.run([tool, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            timeout=DEADLINE, **kwargs)
    return result.returncode, result.stderr.decode(errors="replace")


def refused(argv, code, pattern, **kwargs):
    """Why it was not refused as it should be, or None."""
    got, text = run(argv, **kwargs)
    codes = code if isinstance(code, tuple) else (code,)
    if got not in codes:
        return "exit code %d, expected %s; it said: %s" % (got, code, short(text))
    if not re.search(pattern, text):
        return "nothing like %r in: %s" % (pattern, short(text))
    if not text.startswith("goprobectl: ") and code != 2:
        return "it does not say who speaks: %s" % short(text)
    return None


TYPOS = ("main.doWrok", "main.go:1", "runtime.mcall")


@case("a pattern that traces nothing is a warning if others trace something, and the exit status says so", per="boot")
def partial(t):
    target = t.target("counter", "-hold", 4)
    attach = t.attach("-p", target.pid, "main.doWork", *TYPOS).attached()
    count = t.goprobectl("count", "-o", "json", "-p", target.pid, *TYPOS, "main.doWork")
    wait_for("counting", lambda: count.ended() or "counting 1 function" in count.stderr())
    target.send()
    same(target.line(), "counter=4", "the program's result")
    count.signal(signal.SIGINT)
    trace = attach.interrupt(1)
    same(len(trace.calls), 4, "calls")
    for summary, stderr in ((trace.summary, attach.stderr()), (of_kind(parse("\n".join(count.finish(1))), "summary")[0], count.stderr())):
        same([m["pattern"] for m in summary["not_traced"]], list(TYPOS), "patterns without anything")
        check("did you mean 'main.doWork'" in summary["not_traced"][0]["reason"], "reason: %s", summary)
        for typo in TYPOS:
            check("warning: nothing is traced of '%s': " % typo in stderr, "no warning: %s", stderr)
    text = t.goprobectl("count", "--duration", "100ms", "-p", target.pid, *TYPOS, "main.doWork")
    text.finish(1)
    check("3 patterns trace nothing: 'main.doWrok', 'main.go:1', 'runtime.mcall'\n" in text.stderr(), "it said: %s", text.stderr())
    changing = refused(["attach", "-p", str(target.pid), "main.doWork delay 1ms", "main.doWrok delay 1ms"], 1, "matches 'main.doWrok delay 1ms'")
    check(changing is None, "one of two changes: %s", changing)
    listed = t.goprobectl("list", "-o", "json", "-p", target.pid, "main.doWrok", "main.doWork")
    same([f["func"] for f in parse("\n".join(listed.finish(1)))], ["main.doWork"], "functions listed")
    check("no function of" in listed.stderr() and "doWrok" in listed.stderr(), "list said: %s", listed.stderr())


@case("an output that is closed can't be written, and nothing else takes its place", per="boot")
def closed_output(t):
    listing = ["list", "-b", t.binary("types"), "main.main"]
    problem = refused(["-c", 'exec "$0" "$@" >&-', GOPROBECTL, *listing], 1, "can't write the output: Bad file descriptor", tool="sh")
    check(problem is None, "%s", problem)


@case("a binary that is replaced between list and attach is read again, and its old process stays whole", per="boot")
def replaced(t):
    path = t.copy("counter", "replaced")
    target = t.target(path, "-hold", 4)
    t.goprobectl("list", "-b", path, "main.doWork").finish()
    other = path + ".new"
    shutil.copy(t.binary("load"), other)
    os.rename(other, path)
    problem = refused(["attach", "-b", path, "main.doWork"], 1, r"main\.doWork")
    check(problem is None, "attach -b the new file: %s", problem)
    # The process still runs the old file, and that is what is traced by pid.
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    target.send()
    same(target.line(), "counter=4", "the program's result")
    same(len(attach.interrupt().calls), 4, "calls")


@case("a user other than root gets a message that says so", per="boot")
def not_root(t):
    # The tree may lie where nobody but root can look.
    tool, program = t.copy(shutil.which(GOPROBECTL), "nobody"), t.copy("counter", "nobody")
    for path in t.tmp, tool, program:
        os.chmod(path, 0o755)
    problem = refused(["attach", "-b", program, "main.doWork"], 1, r"(?i)root|permitted|privilege|CAP_SYS_ADMIN",
                      tool=tool, cwd="/", user=65534, group=65534, extra_groups=[])
    check(problem is None, "%s", problem)


@case("a module that is not loaded is named, with the remedy", per="boot")
def not_loaded(t):
    if not os.path.exists(MODULE):
        raise Skip("the module was not loaded by tests/vm/run, so there is no %s to load again" % MODULE)
    subprocess.run(["rmmod", "goprobe"], check=True)
    try:
        problem = refused(["attach", "main.foo", "--", t.binary("example")], 1, r"(?s)not loaded.*modprobe does not find it.*make install")
    finally:
        subprocess.run(["insmod", MODULE], check=True)
    check(problem is None, "%s", problem)


# The protocol, by hand.

DUMPS = genl.GOPROBE_CMD_READ, genl.GOPROBE_CMD_LIST, genl.GOPROBE_CMD_TALLIES, genl.GOPROBE_CMD_KEYS, genl.GOPROBE_CMD_OPEN_CALLS

class Misuse:
    """Collects what was not refused as it should have been."""

    def __init__(self):
        self.problems = []
        self.tried = 0

    def __call__(self, name, function, *errnos):
        self.tried += 1
        try:
            function()
        except Refused as e:
            if errnos and e.errno not in errnos:
                self.problems.append("%s: errno %d (%s), expected %s" % (name, e.errno, e, errnos))
            if not e.message:
                self.problems.append("%s: errno %d without a message" % (name, e.errno))
        else:
            self.problems.append("%s: accepted" % name)

    def verdict(self):
        check(not self.problems, "%d of %d: %s", len(self.problems), self.tried, " | ".join(self.problems))


def ready_client(path):
    """A session with a file, a type and a plan: as far as points need."""
    client = Client()
    client.new_session()
    client.add_file(path)
    client.add_types([genl.type_(8)])
    client.add_plans([genl.plan(0)])
    return client


@case("netlink: commands at the wrong time are refused with a message", per="boot")
def netlink_order(t):
    path = t.binary("counter")
    misuse = Misuse()
    for name, command, payload in (
            ("FILE_ADD", genl.GOPROBE_CMD_FILE_ADD, [(genl.GOPROBE_A_FD, genl.u32(0)), (genl.GOPROBE_A_RUNTIME, genl.runtime())]),
            ("TYPES_ADD", genl.GOPROBE_CMD_TYPES_ADD, [(genl.GOPROBE_A_TYPES, genl.type_(8))]),
            ("DYNAMIC_ADD", genl.GOPROBE_CMD_DYNAMIC_ADD,
             [(genl.GOPROBE_A_FILE, genl.u32(0)), (genl.GOPROBE_A_DYNAMIC, genl.dynamic(1, 0))]),
            ("PLANS_ADD", genl.GOPROBE_CMD_PLANS_ADD, [(genl.GOPROBE_A_PLANS, genl.plan(0))]),
            ("POINTS_ADD", genl.GOPROBE_CMD_POINTS_ADD, [(genl.GOPROBE_A_FILE, genl.u32(0)), (genl.GOPROBE_A_POINTS, genl.point(0, b"\xc3"))]),
            ("START", genl.GOPROBE_CMD_START, []),
            ("STOP", genl.GOPROBE_CMD_STOP, []),
            ("GET_STATS", genl.GOPROBE_CMD_GET_STATS, [])):
        with Client() as client:
            misuse(name + " without a session", lambda: client.call(command, payload))
    with Client() as client:
        misuse("READ without a session", lambda: client.call(genl.GOPROBE_CMD_READ, dump=True))
        misuse("TALLIES without a session", lambda: client.call(genl.GOPROBE_CMD_TALLIES, dump=True))
    with Client() as client:
        client.new_session()
        misuse("a second session on the socket", client.new_session, errno.EEXIST)
    with Client() as client:
        misuse("no such process", lambda: client.new_session(4194000), errno.ESRCH)
        misuse("too few open calls", lambda: client.new_session(calls=1023), errno.ERANGE)
        misuse("too many open calls", lambda: client.new_session(calls=client.limits()["calls"] + 1), errno.ERANGE)
        target = t.target("counter", "-hold", 1)
        thread = next(tid for tid, _ in target.threads() if tid != target.pid)
        misuse("a thread that is no process", lambda: client.new_session(target.pid, thread), errno.ESRCH)
        misuse("process 0", lambda: client.new_session(0))
        misuse("process -1", lambda: client.new_session(-1))
        misuse("no process at all", lambda: client.call(genl.GOPROBE_CMD_SESSION_NEW, [(genl.GOPROBE_A_PIDS, b"")]))
        misuse("half a process", lambda: client.call(genl.GOPROBE_CMD_SESSION_NEW, [(genl.GOPROBE_A_PIDS, b"\1\0")]))
        client.new_session()        # the failed ones left nothing
    with ready_client(path) as client:
        client.add_types([genl.type_(8)])       # not refused: types may come at any time
        client.call(genl.GOPROBE_CMD_STOP)
        misuse("a file after STOP", lambda: client.add_file(path))
        misuse("points after STOP", lambda: client.add_points([genl.point(0, b"\xc3")]))
    misuse.verdict()


# What the verifier decides by a struct alone is a row of tests/kunit/verify*_test.c; here is one of each command, and what needs more.
@case("netlink: files, types, plans and points that make no sense are refused with a message", per="boot")
def netlink_nonsense(t):
    path = t.binary("counter")
    misuse = Misuse()
    offset, size = genl.elf_symbol(path, "main.doWork")
    with open(path, "rb") as f:
        code = f.read()[offset:offset + size]
    rodata, constant = genl.elf_code(path, "rodata")
    with Client() as client:
        limits = client.limits()

    def attempt(name, function, *errnos):
        with ready_client(path) as client:
            misuse(name, lambda: function(client), *errnos)

    def attempt_plan(name, plan, pieces=(), ops=()):
        with Client() as client:
            client.new_session()
            client.add_types([genl.type_(8)])
            misuse(name, lambda: client.add_plans([plan], pieces, ops))

    def attempt_types(name, types, refs=()):
        with Client() as client:
            client.new_session()
            misuse(name, lambda: client.add_types(types, refs))

    # Files.
    for name, what in (("a file that is no ELF file", "/etc/passwd"), ("a directory", "/etc"), ("a device", "/dev/zero")):
        with Client() as client:
            client.new_session()
            misuse(name, lambda: client.add_file(what))
    with Client() as client:
        client.new_session()
        misuse("a descriptor that is closed", lambda: client.call(
            genl.GOPROBE_CMD_FILE_ADD, [(genl.GOPROBE_A_FD, genl.u32(987)), (genl.GOPROBE_A_RUNTIME, genl.runtime())]), errno.EBADF)
        misuse("a file without runtime offsets", lambda: client.call(genl.GOPROBE_CMD_FILE_ADD, [(genl.GOPROBE_A_FD, genl.u32(0))]))
        misuse("runtime offsets: goid too far", lambda: client.add_file(path, genl.runtime(g_goid=4096)))
        write_only = os.open(os.path.join(t.tmp, "write-only"), os.O_WRONLY | os.O_CREAT)
        misuse("a descriptor that is not for reading", lambda: client.call(
            genl.GOPROBE_CMD_FILE_ADD, [(genl.GOPROBE_A_FD, genl.u32(write_only)), (genl.GOPROBE_A_RUNTIME, genl.runtime())]))
        os.close(write_only)

    # Types.
    attempt_types("a string that does not fit", [genl.type_(16, 0, 1)], [genl.ref(8, genl.GOPROBE_REF_STRING)])
    attempt_types("a reference to a type that can never exist", [genl.type_(8, 0, 1)],
                  [genl.ref(0, genl.GOPROBE_REF_POINTER, limits["types"])])
    attempt_types("no types at all", [])
    attempt_types("more types than a message may hold", [genl.type_(8)] * (limits["batch"] + 1))

    # Dynamic types. Type 0 has 8 bytes and no references.
    def attempt_dynamic(name, types, file=0):
        attempt(name, lambda c: c.add_dynamic(types, file))
    attempt_dynamic("a dynamic type of no file", [genl.dynamic(1, 0)], 1)
    attempt_dynamic("a dynamic type that does not exist", [genl.dynamic(1, 1)])
    attempt_dynamic("half a dynamic type", [genl.dynamic(1, 0)[:8]])
    attempt_dynamic("more dynamic types than a message may hold", [genl.dynamic(1, 0)] * (limits["batch"] + 1))
    attempt("no dynamic types at all", lambda c: c.call(genl.GOPROBE_CMD_DYNAMIC_ADD, [(genl.GOPROBE_A_FILE, genl.u32(0))]))

    # Plans.
    attempt_plan("a plan of a type that does not exist", genl.plan(5))
    attempt_plan("a piece beyond the frame", genl.plan(0, 0, 1), [genl.piece(genl.GOPROBE_FROM_INT_REG, 0, 8, 4)])
    attempt_plan("pieces that are not there", genl.plan(0, 0, 3))
    attempt_plan("an operation beyond the frame", genl.plan(0, nops=1), ops=[genl.op(genl.GOPROBE_OP_STORE, size=8, offset=1)])
    attempt_plan("operations that are not there", genl.plan(0, nops=1))

    # Points.
    good = dict(offset=offset, code=code[:8])
    with ready_client(path) as client:
        client.add_points([genl.point(**good)])         # so that the others differ in one thing
    attempt("a point in read-only data", lambda c: c.add_points([genl.point(rodata + 640, constant[640:648])]))
    attempt("a point in the ELF header", lambda c: c.add_points([genl.point(0, code[:8])]))
    attempt("a point with other bytes", lambda c: c.add_points([genl.point(offset, b"\x90" * 8)]))
    attempt("a point beyond the file", lambda c: c.add_points([genl.point(1 << 40, code[:8])]))
    attempt("a point at the end of all offsets", lambda c: c.add_points([genl.point((1 << 64) - 1, code[:8])]))
    attempt("a plan that does not exist", lambda c: c.add_points([genl.point(**good, plan=1)]))
    attempt("a place that is timed twice", lambda c: c.add_points([genl.point(**good, action=genl.GOPROBE_ACTION_TIME)] * 2))
    attempt("a file that does not exist", lambda c: c.add_points([genl.point(**good)], file=1))
    attempt("no ids at all", lambda c: c.call(genl.GOPROBE_CMD_POINTS_DEL))
    attempt("an empty list of ids", lambda c: c.del_points())
    attempt("no goroutines at all", lambda c: c.call(genl.GOPROBE_CMD_GOROUTINES_ADD))
    attempt("an empty list of goroutines", lambda c: c.call(genl.GOPROBE_CMD_GOROUTINES_ADD, [(genl.GOPROBE_A_GOROUTINES, b"")]))
    attempt("no filters at all", lambda c: c.call(genl.GOPROBE_CMD_FILTERS_ADD))
    attempt("no plans at all", lambda c: c.call(genl.GOPROBE_CMD_PLANS_ADD))
    attempt("no points at all", lambda c: c.call(genl.GOPROBE_CMD_POINTS_ADD, [(genl.GOPROBE_A_FILE, genl.u32(0))]))
    attempt("half a point", lambda c: c.call(genl.GOPROBE_CMD_POINTS_ADD, [
        (genl.GOPROBE_A_FILE, genl.u32(0)), (genl.GOPROBE_A_POINTS, genl.point(**good)[:20])]))
    attempt("more points than a message may hold", lambda c: c.add_points([genl.point(**good)] * (limits["batch"] + 1)))

    def all_or_none(client):
        try:
            client.add_points([genl.point(**good), genl.point(offset, b"\x90" * 8)])
        finally:
            check(not any(genl.GOPROBE_A_POINTS in s and s[genl.GOPROBE_A_POINTS] for s in client.sessions()),
                  "a refused message left a point")
    attempt("one bad point of two", all_or_none)
    misuse.verdict()
    wait_for("the last session ending", nothing_probed)


CODE = 1, 5          # PT_LOAD; may be read and executed


def elf(*segments, machine=62, bits=2, entry=56, number=None, table=64):
    """An ELF file of segments: kind, flags, offset and size."""
    number = len(segments) if number is None else number
    head = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", bits, 1, 1, 2, machine, 1, 0, table, 0, 0, 64, entry, number, 0, 0, 0)
    return head + b"".join(struct.pack("<IIQQQQQQ", kind, flags, at, 0, 0, size, size, 4096) for kind, flags, at, size in segments)


@case("netlink: ELF files that are cut, have no code, or segments that can't be, are refused with a message", per="boot")
def netlink_elf(t):
    misuse = Misuse()

    def file(data):
        """The path of a new file: nobody can write to one that a session still has."""
        fd, path = tempfile.mkstemp(dir=t.tmp)
        with os.fdopen(fd, "wb") as f:
            f.write(data)
        return path

    def attempt(name, data, *errnos):
        with Client() as client:
            client.new_session()
            misuse(name, lambda: client.add_file(file(data)), *errnos)

    def attempt_point(name, segment, offset, *errnos):
        with Client() as client:
            client.new_session()
            client.add_file(file(elf((*CODE, 0, 64), (*CODE, *segment))))
            misuse(name, lambda: client.add_points([genl.point(offset, b"\xc3")]), *errnos)

    # The good one, from which each of the others differs in one thing.
    right = elf((*CODE, 120, 16)) + b"\xc3" * 16
    with Client() as client:
        client.new_session()
        client.add_file(file(right))
        client.add_points([genl.point(120, b"\xc3"), genl.point(135, b"\xc3")])
        client.add_file(file(elf(*[(*CODE, 64, 16)] * 64)))
    attempt("an empty file", b"", errno.ENOEXEC)
    attempt("half a header", right[:63], errno.ENOEXEC)
    attempt("another magic number", b"\x7fELG" + right[4:], errno.ENOEXEC)
    attempt("a 32-bit file", elf((*CODE, 64, 16), bits=1), errno.ENOEXEC)
    attempt("another processor", elf((*CODE, 64, 16), machine=183), errno.ENOEXEC)
    attempt("program headers of another size", elf((*CODE, 64, 16), entry=32), errno.ENOEXEC)
    attempt("no program headers", elf((*CODE, 64, 16), number=0), errno.ENOEXEC)
    attempt("too many program headers", elf(*[(*CODE, 64, 16)] * 65), errno.ENOEXEC)
    attempt("program headers that are cut", right[:119], errno.ENOEXEC)
    attempt("program headers beyond the file", elf((*CODE, 64, 16), table=1 << 40), errno.ENOEXEC)
    attempt("program headers at the end of all offsets", elf((*CODE, 64, 16), table=(1 << 64) - 1), errno.ENOEXEC)
    attempt("no executable segment", elf((1, 4, 64, 16)), errno.ENOEXEC)
    attempt("a segment that can be written as well", elf((1, 7, 64, 16)), errno.ENOEXEC)
    attempt("an executable segment that is not loaded", elf((4, 5, 64, 16)), errno.ENOEXEC)
    attempt("a segment whose end wraps", elf((*CODE, (1 << 64) - 16, 16)), errno.ENOEXEC)
    attempt_point("code that has been cut off", (4096, 16), 4096, errno.ESTALE)
    attempt_point("code at a negative offset", (1 << 63, 16), 1 << 63)
    attempt_point("a place behind its segment", (64, 16), 80, errno.EINVAL)
    path = file(right)
    with Client() as client, open(path, "ab"):
        client.new_session()
        misuse("a file that somebody writes to", lambda: client.add_file(path), errno.ETXTBSY)
    misuse.verdict()


NOBODY = 65534


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def child(function):
    """The string that function() returns in a process of its own, or the signal that killed the process."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(write, function().encode())
        except BaseException as e:
            os.write(write, repr(e).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        text = answer.read().decode()
    _, status = os.waitpid(pid, 0)
    return "killed by %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else text


def as_nobody(function):
    """The string that function() returns in a process without privileges."""
    def run():
        become_nobody()
        return function()
    return child(run)


@case("netlink: a session by hand sees each call between START and STOP, and its counters add up", per="boot")
def netlink_session(t):
    target = t.target("counter", "-hold", 1000)
    offset, size = genl.elf_symbol(target.argv[0], "main.doWork")
    with open(target.argv[0], "rb") as f:
        code = f.read()[offset:offset + size]
    with Client() as client:
        client.new_session(target.pid)
        client.add_file(target.argv[0])
        client.add_points([genl.point(offset, code[:8], id=77)])
        idle = t.target("counter", 10)          # maps the file, is not meant
        idle.finish()
        same(client.records(), [], "records before START")
        client.call(genl.GOPROBE_CMD_START)
        target.send()
        target.line()
        records = client.records()
        while len(records) < 1000:
            more = client.records()
            check(more, "only %d records", len(records))
            records += more
        same({(r.kind, r.id, r.tgid) for r in records}, {(genl.GOPROBE_RECORD_CALL, 77, target.pid)}, "kinds, ids and processes")
        for cpu in {r.cpu for r in records}:
            times = [r.time for r in records if r.cpu == cpu]
            same(times, sorted(times), "times on CPU %d" % cpu)
        client.call(genl.GOPROBE_CMD_STOP)
        check(not target.probed("main.doWork"), "a breakpoint is left after STOP")
        stats = client.stats()
        same((stats[genl.GOPROBE_STAT_CALLS], sum(stats)), (1000, 1000), "the session's counters: %s" % (stats,))


def see_pages(t, path):
    """Trace main.see of counter, which is given the address of each page of the
    file in RAX, as if that were g: what is read of pages nobody has touched."""
    target = t.target("counter", "-hold", "-map", path, 1)
    offset, size = genl.elf_symbol(target.argv[0], "main.see")
    with open(target.argv[0], "rb") as f:
        code = f.read()[offset:offset + size]
    with Client() as client:
        client.new_session(target.pid)
        client.add_file(target.argv[0], genl.runtime(g_reg=0, g_stack_lo=0, g_stack_hi=8, g_goid=16))
        client.add_points([genl.point(offset, code[:min(size, 8)])])
        client.call(genl.GOPROBE_CMD_START)
        target.send()
        same(target.line(), "seen", "the program's output")
        client.call(genl.GOPROBE_CMD_STOP)
        return sorted(client.records(), key=lambda r: r.time)


@case("netlink: a g in absent memory is read")
def absent_g(t):
    path = os.path.join(t.tmp, "pages")
    with open(path, "wb") as f:
        for page in range(64):
            f.write(struct.pack("=QQQ", 0, 1 << 47, 5000 + page).ljust(4096, b"\0"))
    records = see_pages(t, path)
    same([(r.goid, r.flags) for r in records], [(5000 + page, 0) for page in range(64)], "goroutine ids and flags")


@case("netlink: a hit does not wait for absent memory on a remote file system", per="boot")
def remote_g(t):
    path = os.path.abspath(__file__)
    with open("/proc/self/mountinfo") as mounts:
        if not any(line.split()[4] == "/" and " - overlay " in line for line in mounts):
            raise Skip("/ is not what tests/vm/run makes of it, so %s may be local" % path)
    os.posix_fadvise(os.open(path, os.O_RDONLY), 0, 0, os.POSIX_FADV_DONTNEED)
    records = see_pages(t, path)
    check(records, "no records")
    same({(r.goid, r.flags) for r in records}, {(0, genl.GOPROBE_RECORD_F_NO_G)}, "goroutine ids and flags")


@case("netlink: a user other than root is refused every command, with a message", per="boot")
def netlink_nobody(t):
    def all_commands():
        misuse = Misuse()
        with Client() as client:
            for command in range(1, genl.GOPROBE_CMD_MAX + 1):
                if command != genl.GOPROBE_CMD_READY:
                    misuse("command %d" % command, lambda: client.call(command, dump=command in DUMPS), errno.EPERM)
        return " | ".join(misuse.problems)
    same(as_nobody(all_commands), "", "as nobody")
