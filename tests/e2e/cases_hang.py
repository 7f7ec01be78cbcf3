# SPDX-License-Identifier: GPL-2.0
"""Long waits of goprobe or of traced programs: all others on the host go on meanwhile."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

import genl
from cases_edit import allowed
from cases_lossless import ROOM_SECONDS, waiting
from cases_session import code_of
from genl import Client
from lib import Skip, case, check, cut_short, module_users, same, takes_no_locks, wait_for

LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2
READ_SECONDS = 5        # GP_READING_MS of kmod/session/reading.c


class Meanwhile(threading.Thread):
    """Runs something, which may take long."""

    def __init__(self, function, *args):
        super().__init__(daemon=True)
        self.function, self.args, self.error = function, args, None
        self.start()

    def run(self):
        try:
            self.function(*self.args)
        except Exception as e:      # the case's verdict
            self.error = e

    def ended(self):
        return not self.is_alive()

    def verdict(self):
        self.join()
        if self.error:
            raise self.error


@contextlib.contextmanager
def slow_place(t):
    """A session, and another one's reader that a hit waits for, for 5 s, where both have a breakpoint."""
    path = t.binary("counter")
    offset, code = code_of(path, "main.doWork")
    target = t.target("counter", "-hold", 10000)
    with Client() as reader, Client() as client:
        for c, flags in (reader, genl.GOPROBE_SESSION_F_LOSSLESS), (client, 0):
            c.new_session(target.pid, ring=64 << 10, flags=flags)
            c.add_file(path)
            c.add_points([genl.point(offset, code, 1, action=0 if flags else genl.GOPROBE_ACTION_COUNT)])
        reader.call(genl.GOPROBE_CMD_START)
        target.send()
        wait_for("a hit that waits for the reader", lambda: waiting(target))
        yield client


@case("netlink: a wait for hits in one file does not delay breakpoints in another", per="boot")
def another_file(t):
    path = t.binary("load")
    offset, code = code_of(path, "main.handle")
    with Client() as other:
        other.new_session()
        other.add_file(path)
        with slow_place(t) as client:
            removal = Meanwhile(client.del_points, 1)
            removal.join(0.2)
            other.add_points([genl.point(offset, code, action=genl.GOPROBE_ACTION_COUNT)])
            check(not removal.ended(), "it was held up, or nobody waited for the hit")
            removal.verdict()


class Served:
    """A file of a file system in user space: tests/e2e/fuse.py."""

    def __init__(self, t, path):
        if subprocess.run(["modprobe", "fuse"], stderr=subprocess.DEVNULL).returncode:
            raise Skip("this kernel has no FUSE")
        self.mountpoint = os.path.join(t.tmp, "mnt-%d" % len(t.started))
        os.mkdir(self.mountpoint)
        self.path = os.path.join(self.mountpoint, "file")
        self.server = t.run(sys.executable, os.path.join(os.path.dirname(__file__), "fuse.py"), self.mountpoint, path)
        same(self.server.line(), "ready", "the file server")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.server.kill()
        # By itself: umount(8) looks at the file system first, whose server has ended.
        if LIBC.umount2(self.mountpoint.encode(), MNT_DETACH):
            raise OSError(ctypes.get_errno(), "umount2")

    def stall(self, reads, kind=""):
        self.server.send("stall %d %s" % (reads, kind))

    def go_on(self):
        self.stall(1 << 40)

    def answer(self):
        """Also what has not been answered."""
        self.server.send("go on")

    def stalled(self):
        same(self.server.line(), "stalled", "the file server")

    def headers(self):
        self.server.send("headers")
        return int(self.server.line())


def module(name):
    """Load a module, which registers something, and unload it."""
    if subprocess.run(["modprobe", name], stderr=subprocess.DEVNULL).returncode:
        raise Skip("this kernel has no %s" % name)
    subprocess.run(["rmmod", name], check=True)


def unprivileged(function, *args):
    pid = os.fork()
    if not pid:
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            function(*args)
            os._exit(0)
        finally:
            os._exit(1)
    same(os.waitpid(pid, 0)[1], 0, "how it ended")


def ask_family(name):
    """Has the kernel load the module, if it has none of that name."""
    Client(name).close()


def stalled_client(t, served, reads, points=False):
    """A client whose command waits for a read."""
    client = Client()
    client.new_session()
    if points:
        client.add_file(served.path)
    served.stall(reads)
    if points:
        offset, code = code_of(t.binary("counter"), "main.doWork")
        waits = Meanwhile(client.add_points, [genl.point(offset, code)])
    else:
        waits = Meanwhile(client.add_file, served.path)
    served.stalled()
    return client, waits


def meanwhile_stalled(t, served, function, *args):
    """How long it takes while somebody waits for a read."""
    client, waits = stalled_client(t, served, 0)
    began = time.monotonic()
    try:
        function(*args)
        return time.monotonic() - began
    finally:
        client.close()
        served.go_on()


@case("a file whose server does not answer: the command fails after 5 s and says so, whatever is read", per="boot", slow=True)
def stalled_command(t):
    with Served(t, t.binary("counter")) as served:
        for what, reads, points in ("the ELF header", 0, False), ("program headers", 1, False), ("code", 0, True):
            client, waits = stalled_client(t, served, reads, points)
            with client:
                try:
                    waits.verdict()
                    check(False, "%s: it was not refused", what)
                except genl.Refused as e:
                    check(e.errno == errno.ETIMEDOUT and "has not answered" in e.message, "%s: it said: %s", what, e)
                try:
                    client.add_file(t.binary("counter"))
                    check(False, "%s: it reads, though its worker is stuck", what)
                except genl.Refused as e:
                    check(e.errno == errno.EBUSY and "does not answer" in e.message, "%s: it said: %s", what, e)
                client.stats()
                client.call(genl.GOPROBE_CMD_STOP)
            served.go_on()
        check(module_users(), "the module could be unloaded while a worker of it reads")
    wait_for("the workers' ends", lambda: module_users() == 0)


@case("a file whose server does not answer: meanwhile generic netlink works, on the whole host", per="boot")
def stalled_host(t):
    path = t.binary("load")
    offset, code = code_of(path, "main.handle")

    def others():
        same(len(other.sessions()) >= 2, True, "sessions of the list")
        other.add_points([genl.point(offset, code, 2, action=genl.GOPROBE_ACTION_COUNT)])
        other.del_points(2)
    with Served(t, t.binary("counter")) as served, Client() as other:
        other.new_session()
        other.add_file(path)
        other.add_points([genl.point(offset, code, 1, action=genl.GOPROBE_ACTION_COUNT)])
        for function, *args in ((module, "team"), (others,), (lambda: t.goprobectl("info").finish(),)):
            cut_short(lambda f=function, a=args: meanwhile_stalled(t, served, f, *a), READ_SECONDS)


@case("a file whose server does not answer: meanwhile an unprivileged user has a module loaded that registers a family", per="boot")
def stalled_autoload(t):
    if subprocess.run(["modprobe", "--dry-run", "macsec"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("this kernel has no macsec")
    with Served(t, t.binary("counter")) as served:
        cut_short(lambda: meanwhile_stalled(t, served, unprivileged, ask_family, "macsec"), READ_SECONDS)
    subprocess.run(["rmmod", "macsec"], check=True)


@case("a file whose server does not answer: its session stops and ends at once", per="boot")
def stalled_end(t):
    def stop():
        began = time.monotonic()
        client, waits = stalled_client(t, served, 0)
        with client:
            # Another thread's.
            client.sock.send(genl.message(client.family, genl.GOPROBE_CMD_STOP))
            try:
                waits.verdict()
                check(False, "it was not refused")
            except genl.Refused as e:
                same(e.errno, errno.ESHUTDOWN, "the error")
        served.go_on()
        return time.monotonic() - began

    def close():
        began = time.monotonic()
        client, _ = stalled_client(t, served, 0)
        client.close()
        wait_for("the session's end", lambda: not Client().sessions())
        served.go_on()
        return time.monotonic() - began
    with Served(t, t.binary("counter")) as served:
        cut_short(stop, READ_SECONDS)
        cut_short(close, READ_SECONDS)


@case("a file whose server does not answer: the breaker of the session that asks for it stops it all the same", per="boot")
def stalled_breaker(t):
    path = t.binary("load")
    offset, code = code_of(path, "main.handle")

    def attempt():
        target = t.target("load", "-goroutines", 2)
        began = time.monotonic()
        with Client() as client:
            # Any time of a hit exceeds this limit.
            client.new_session(target.pid, breaker=(1000000, 1))
            client.add_file(path)
            client.add_points([genl.point(offset, code, action=genl.GOPROBE_ACTION_COUNT)])
            served.stall(0)
            Meanwhile(client.add_file, served.path)
            served.stalled()
            wait_for("the breaker", lambda: not target.probed("main.handle"))
            took = time.monotonic() - began
        served.go_on()
        target.kill()
        return took
    with Served(t, t.binary("counter")) as served:
        cut_short(attempt, READ_SECONDS)


@case("netlink: 16 commands of a session wait at most, and those that do are answered in their order", per="boot")
def waiting_commands(t):
    with Served(t, t.binary("counter")) as served, Client() as client:
        client.new_session()
        served.stall(0)
        with open(served.path, "rb") as f:
            payload = genl.attr(genl.GOPROBE_A_FD, genl.u32(f.fileno())) + genl.attr(genl.GOPROBE_A_RUNTIME, genl.runtime())
            client.sock.send(genl.message(client.family, genl.GOPROBE_CMD_FILE_ADD, payload, genl.NLM_F_ACK, 100))
        served.stalled()
        for seq in range(101, 118):
            client.sock.send(genl.message(client.family, genl.GOPROBE_CMD_START, b"", genl.NLM_F_ACK, seq))
        answers = []
        for _ in range(18):
            _, kind, _, seq, _, error = genl.struct.unpack_from("=IHHIIi", client.sock.recv(1 << 16))
            same(kind, genl.NLMSG_ERROR, "an answer")
            answers.append((seq, -error))
        same(answers, [(117, errno.EBUSY), (100, errno.ETIMEDOUT)] + [(seq, 0) for seq in range(101, 117)], "answers and errors")


@contextlib.contextmanager
def keeps_its_memory(path, offset, served):
    """A process that maps code of a file, and whose memory nobody can lock, for a server does not answer."""
    ready, begin = os.pipe()
    victim = os.fork()
    if not victim:
        try:
            maps = [mmap.mmap(os.open(of, os.O_RDONLY), mmap.PAGESIZE, mmap.MAP_PRIVATE, mmap.PROT_READ | also, offset=at)
                    for of, also, at in ((path, mmap.PROT_EXEC, offset & -mmap.PAGESIZE), (served.path, 0, 0))]
            os.write(begin, b"%d" % len(maps))
            signal.pause()
        finally:
            os._exit(0)
    os.read(ready, 1)
    with open("/proc/%d/maps" % victim) as f:
        address = next(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith(served.path))
    served.stall(0)
    reader = os.fork()
    if not reader:
        try:
            os.pread(os.open("/proc/%d/mem" % victim, os.O_RDONLY), 1, address)
        finally:
            os._exit(0)
    served.stalled()
    try:
        yield
    finally:
        served.server.kill()
        for pid in reader, victim:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        os.close(ready)
        os.close(begin)


@case("a process that keeps the kernel from placing a breakpoint delays neither generic netlink nor other sessions", per="boot")
def kept_memory(t):
    path, busy = t.binary("counter"), t.binary("load")
    offset, code = code_of(path, "main.doWork")
    target = t.target("load", "-goroutines", 1)
    with Served(t, path) as served, Client() as other, Client() as client:
        other.new_session(target.pid)
        other.add_file(busy)
        other.add_points([genl.point(*code_of(busy, "main.handle"), action=genl.GOPROBE_ACTION_COUNT)])
        other.call(genl.GOPROBE_CMD_START)
        client.new_session(os.getpid())
        client.add_file(path)
        # No process can fork meanwhile; the kernel causes that.
        loading = t.run("sh", "-c", "read line && exec modprobe team")
        with keeps_its_memory(path, offset, served):
            placing = Meanwhile(client.add_points, [genl.point(offset, code)])
            placing.join(0.5)
            loading.send()
            same(loading.wait(), 0, "exit status of modprobe")
            same(len(other.sessions()), 2, "sessions of the list")
            check(other.limits(), "no limits")
            hits = other.tallies()[0].hits
            wait_for("more hits", lambda: other.tallies()[0].hits > hits)
            other.stats()
            check(not placing.ended(), "nobody kept it from being placed")
        placing.verdict()
    subprocess.run(["rmmod", "team"], check=True)


@case("a program whose file's server does not answer: goprobectl attach dies at once of SIGKILL, and says what is wrong if left", per="boot")
def stalled_attach(t):
    with Served(t, t.binary("counter")) as served:
        target = t.target(served.path, "-hold", 10)
        before = served.headers()
        attach = t.attach("-p", target.pid, "main.doWork").attached()
        reads = served.headers() - before       # the last one is the module's
        attach.interrupt()

        def begin():
            served.stall(reads - 1, "headers")
            attach = t.attach("-p", target.pid, "main.doWork")
            served.stalled()
            return attach

        def kill():
            began = time.monotonic()
            attach = begin()
            attach.signal(signal.SIGKILL)
            same(attach.wait(), -signal.SIGKILL, "how goprobectl ended")
            served.go_on()
            return time.monotonic() - began
        cut_short(kill, READ_SECONDS)
        attach = begin()
        same(attach.wait(), 1, "exit status")
        check("has not answered" in attach.stderr(), "it said: %s", attach.stderr())
        served.go_on()
        target.kill()
    wait_for("the workers' ends", lambda: module_users() == 0)


@case("netlink: while a session ends slowly, others close their netlink sockets at once, even with a module that is loaded", per="boot")
def slow_end(t):
    def attempt():
        began = time.monotonic()
        with slow_place(t) as client:
            end = Meanwhile(client.close)
            end.join(0.2)
            loading = Meanwhile(module, "nfnetlink_log")        # it waits for the right to have itself notified
            loading.join(0.5)
            with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as s:
                s.bind((0, 0))
            took = time.monotonic() - began
            slow.append(not end.ended())
            end.verdict()
            loading.verdict()
            return took
    slow = []
    cut_short(attempt, ROOM_SECONDS)
    check(slow[-1], "the end waited for nobody")


@case("netlink: a session without a descriptor ends all the same, and one with it when that is closed, socket or not", per="boot")
def descriptors(t):
    path = t.binary("counter")
    offset, code = code_of(path, "main.doWork")
    target = t.target("counter", "-hold", 10)

    def begin(fd):
        client = Client()
        client.new_session(target.pid, fd=fd)
        client.add_file(path)
        client.add_points([genl.point(offset, code, action=genl.GOPROBE_ACTION_COUNT)])
        check(target.probed("main.doWork"), "there is no breakpoint")
        return client
    begin(False).close()
    wait_for("the breakpoint's end", lambda: not target.probed("main.doWork"))
    wait_for("the session's end", lambda: module_users() == 0)
    for first, second in ("sock", "session"), ("session", "sock"):
        client = begin(True)
        same(fcntl.fcntl(client.session, fcntl.F_GETFD), fcntl.FD_CLOEXEC, "flags of the descriptor")
        for which in first, second:
            if which == "sock":
                client.sock.close()
            else:
                os.close(client.session)
                check(not target.probed("main.doWork"), "a breakpoint is left")
                client.session = None
        same(module_users(), 0, "users of the module")
    # A copy keeps it, and the socket can have another session when it has ended.
    client = begin(True)
    copy = os.dup(client.session)
    os.close(client.session)
    check(target.probed("main.doWork"), "there is no breakpoint")
    os.close(copy)
    try:
        client.stats()
        check(False, "the session did not end")
    except genl.Refused as e:
        same(e.errno, errno.ENOENT, "the error")
    client.new_session(target.pid)
    client.close()
    # Without a descriptor to be had there is no session.
    with Client() as client:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        spare = os.dup(0)
        os.close(spare)
        resource.setrlimit(resource.RLIMIT_NOFILE, (spare, limit[1]))
        try:
            client.new_session()
            check(False, "there is a session")
        except genl.Refused as e:
            same(e.errno, errno.EMFILE, "the error")
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        wait_for("no session", lambda: not client.sessions())


@case("edits: removing points ends their delays, all at once", per="boot")
def delays(t):
    with allowed():
        path = t.binary("counter")
        offset, code = code_of(path, "main.doWork")

        def attempt():
            target = t.target("counter", "-hold", 1000)
            with Client() as client:
                client.new_session(target.pid)
                client.add_file(path)
                edit = client.add_filters([genl.op(genl.GOPROBE_OP_DELAY, value=genl.GOPROBE_DELAY_NS_MAX)])
                client.add_points([genl.point(offset, code, 1, edit=edit)])
                client.call(genl.GOPROBE_CMD_START)
                began = time.monotonic()
                target.send()
                wait_for("a hit that is delayed", lambda: waiting(target))
                client.del_points(1)
                return time.monotonic() - began
        cut_short(attempt, 1)


def mapping_of(pid, path):
    """Where a file is mapped: the first address, and the first one behind."""
    with open("/proc/%d/maps" % pid) as maps:
        for line in maps:
            if line.rstrip().endswith(" " + path):
                return [int(n, 16) for n in line.split()[0].split("-")]
    return None


def read_memory(pid, at):
    with open("/proc/%d/mem" % pid, "rb", buffering=0) as f:
        f.seek(at)
        with contextlib.suppress(OSError):
            f.read(1)


def take_write_lock(pid):
    with contextlib.suppress(OSError), open("/proc/%d/clear_refs" % pid, "w", encoding="ascii") as f:
        f.write("4")


def waits_for_write_lock(pid):
    """Whether it sleeps in the write to clear_refs: only the lock makes that sleep. Before, it may sleep for pages of its own."""
    with open("/proc/%d/stat" % pid) as stat, open("/proc/%d/stack" % pid) as stack:
        return stat.read().rpartition(")")[2].split()[0] == "D" and "clear_refs_write" in stack.read()


@contextlib.contextmanager
def forked(function, *args):
    """A process that runs it, and that nothing but SIGKILL may end."""
    pid = os.fork()
    if not pid:
        try:
            function(*args)
        finally:
            os._exit(0)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@contextlib.contextmanager
def answering_at_last(served):
    """A process that waits for an answer does not even die of SIGKILL."""
    try:
        yield
    finally:
        served.answer()


@case("netlink: a hit does not wait for absent memory while others hold the lock of the program's mappings", per="boot")
def locked_mappings(t):
    if not takes_no_locks(t):
        raise Skip("this kernel's uprobes take that lock at each hit themselves")
    pages = 1000
    path = t.binary("counter")
    offset, code = code_of(path, "main.see")
    zeros = os.path.join(t.tmp, "zeros")
    with open(zeros, "wb") as f:
        f.truncate(pages * 4096)
    with Served(t, zeros) as served, Client() as client:
        target = t.target("counter", "-hold", "-map", served.path, "-passes", 1000000, 1)
        client.new_session(target.pid)
        # Each page is taken for a g: that needs its first bytes.
        client.add_file(path, genl.runtime(g_reg=0, g_stack_lo=0, g_stack_hi=8, g_goid=16))
        client.add_points([genl.point(offset, code, 1)])
        client.call(genl.GOPROBE_CMD_START)
        target.send()

        def hits():
            return sum(client.stats()[:genl.GOPROBE_STAT_LOST_NO_RING + 1])
        wait_for("hits", hits)
        served.stall(0)
        # It reads where the server does not answer, with the lock held; then another one wants to have it alone, and all
        # that come later queue up behind that.
        with forked(read_memory, target.pid, mapping_of(target.pid, served.path)[1] - 4096), answering_at_last(served):
            served.stalled()
            with forked(take_write_lock, target.pid) as writer, answering_at_last(served):
                wait_for("a process that waits for the lock", lambda: waits_for_write_lock(writer))
                before = hits()
                wait_for("hits while the mappings are locked", lambda: hits() > before + 3)
                check(waits_for_write_lock(writer), "they were not locked any more")
        target.kill()
