# SPDX-License-Identifier: GPL-2.0
"""The permissions in docs/security.md, and the messages of refused commands."""

import array
import contextlib
import ctypes
import errno
import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import time

import genl
from cases_refuse import DUMPS, Misuse, become_nobody, child
from cases_files import machine_only, mounted
from cases_tally import points_of, wire
from genl import Client
from lib import GOPROBECTL, MODULE, Skip, case, check, nothing_probed, on_cpus, same, short, wait_for

NOTIFIES = genl.GOPROBE_CMD_READY
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 24, 22, 38
CAP_SYS_ADMIN = 21


def unshare(flags):
    if LIBC.unshare(flags):
        raise OSError(ctypes.get_errno(), "unshare")


class CapData(ctypes.Structure):
    _fields_ = [("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32)]


def drop_sys_admin():
    """Root with all capabilities but the one."""
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (CapData * 2)()
    check(not LIBC.capget(header, data), "capget")
    for field in ("effective", "permitted", "inheritable"):
        setattr(data[0], field, getattr(data[0], field) & ~(1 << CAP_SYS_ADMIN))
    LIBC.prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0)
    check(not LIBC.capset(header, data), "capset")


def commands_refused(client):
    """Every command is refused, with -EPERM and a message."""
    misuse = Misuse()
    for command in range(1, genl.GOPROBE_CMD_MAX + 1):
        if command != NOTIFIES:
            misuse("command %d" % command, lambda c=command: client.call(c, dump=c in DUMPS), errno.EPERM)
    return " | ".join(misuse.problems)


def refused_as(prepare):
    def run():
        prepare()
        with Client() as client:
            return commands_refused(client)
    return child(run)


@case("security: root without CAP_SYS_ADMIN, and root of a user namespace, are refused every command", per="boot")
def capabilities(t):
    same(refused_as(drop_sys_admin), "", "root with all other capabilities")

    def own_namespace():
        with open("/proc/sys/user/max_user_namespaces", encoding="ascii") as f:
            if not int(f.read()):
                raise Skip("no user namespaces here")
        become_nobody()
        unshare(CLONE_NEWUSER)
    same(refused_as(own_namespace), "", "nobody, who is root of a user namespace")

    def root_inside():
        unshare(CLONE_NEWUSER)
        with open("/proc/self/setgroups", "w", encoding="ascii") as f:
            f.write("deny")
        with open("/proc/self/uid_map", "w", encoding="ascii") as f:
            f.write("0 0 1")
    same(refused_as(root_inside), "", "root, in a user namespace")


@contextlib.contextmanager
def installed(configuration):
    """The module where modprobe finds it, alone, and not loaded; afterwards loaded as it was."""
    if not os.path.exists(MODULE):
        raise Skip("the module was not loaded by tests/vm/run, so there is no %s to load again" % MODULE)
    modules, conf = "/lib/modules/" + os.uname().release, "/etc/modprobe.d/goprobe-test.conf"
    subprocess.run(["mount", "-t", "tmpfs", "modules", modules], check=True)
    try:
        os.mkdir(modules + "/updates")
        shutil.copy(MODULE, modules + "/updates/goprobe.ko")
        for name in "order", "builtin":
            open(modules + "/modules." + name, "w").close()
        subprocess.run(["depmod", "-a"], check=True)
        os.makedirs(os.path.dirname(conf), exist_ok=True)
        with open(conf, "w", encoding="ascii") as f:
            f.write(configuration)
        subprocess.run(["rmmod", "goprobe"], check=True)
        try:
            yield
        finally:
            subprocess.run(["rmmod", "goprobe"], stderr=subprocess.DEVNULL)
            subprocess.run(["insmod", MODULE], check=True)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(conf)
        subprocess.run(["umount", modules], check=True)


def doctor(t, status, *options):
    """The findings of doctor, by check; the last one if a check has several lines."""
    lines = t.goprobectl("doctor", "-o", "json", *options).finish(status)
    return {finding["check"]: finding for finding in map(json.loads, lines)}


def is_loaded():
    return os.path.exists("/sys/module/goprobe")


@case("security: only users who may load modules get goprobe loaded: goprobectl loads it, the kernel does not by itself", per="boot")
def loading(t):
    def asks():
        become_nobody()
        try:
            Client().close()
        except genl.Refused as e:
            return os.strerror(e.errno)
        return "there is"
    with installed("options goprobe allow_writes=1\n"):
        same(child(asks), os.strerror(errno.ENOENT), "the family, for nobody")
        t.goprobectl("list", "-b", t.binary("counter"), "--points", "main.doWork").finish()
        p = t.run("setpriv", "--bounding-set=-sys_module", GOPROBECTL, "info")
        p.finish(1)
        check("not loaded" in p.stderr() and "modprobe goprobe" in p.stderr(), "without CAP_SYS_MODULE: %s", p.stderr())
        check(not is_loaded(), "the module is loaded")
        p = t.goprobectl("info")
        p.finish()
        check("loaded the module" in p.stderr(), "it does not say that it has loaded the module: %s", p.stderr())
        with open("/sys/module/goprobe/parameters/allow_writes", encoding="ascii") as f:
            same(f.read().strip(), "Y", "allow_writes, by modprobe.d")
        p = t.goprobectl("info")
        p.finish()
        same(p.stderr(), "", "what it says of a module that is loaded")
    with installed("install goprobe /bin/false\n"):
        p = t.goprobectl("info")
        p.finish(1)
        check("modprobe.d forbids it" in p.stderr(), "it said: %s", p.stderr())
        check(not is_loaded(), "the module is loaded")
        same(doctor(t, 1)["module"]["verdict"], "FAIL", "what doctor says of a module that modprobe.d forbids")


@case("doctor examines the machine with and without the module, and a program", per="boot")
def examination(t):
    found = doctor(t, 0, "-b", t.binary("counter"))
    same([found[check]["verdict"] for check in ("kernel", "rights", "namespaces", "module", "hit", "program", "debuginfo")],
         ["ok"] * 7, "with the module loaded: %s" % found)
    same(found["sessions"]["fact"], "no trace runs", "sessions")
    attach = t.attach("-p", t.target("counter", "-each", "10ms", 0).pid, "main.doWork").attached()
    same(doctor(t, 0)["sessions"]["fact"], "1 trace runs, of process %d" % attach.pid, "a trace")
    attach.signal(signal.SIGSTOP)
    wait_for("the trace stopping", lambda: doctor(t, 0)["sessions"]["verdict"] == "warn")
    attach.signal(signal.SIGCONT)
    attach.interrupt()
    with installed(""):
        found = doctor(t, 0)
        same(found["module"]["verdict"], "warn", "a module that can be loaded")
        check("hit" not in found and not is_loaded(), "doctor has loaded the module")
        release = os.uname().release
        os.rename("/lib/modules/%s/updates" % release, "/lib/modules/%s/away" % release)
        subprocess.run(["depmod", "-a"], check=True)
        os.remove("/lib/modules/%s/away/goprobe.ko" % release)
        found = doctor(t, 1)
        same(found["module"]["verdict"], "FAIL", "a module that is not installed")
        check(release in found["module"]["fact"] and "make" in found["module"]["remedy"], "it said: %s", found["module"])
    lines = t.run("setpriv", "--bounding-set=-sys_admin", GOPROBECTL, "doctor").finish(1)
    check(any(line.startswith("FAIL  rights ") for line in lines), "without CAP_SYS_ADMIN: %s", lines)
    lines = t.run("unshare", "--net", GOPROBECTL, "doctor").finish(1)
    check(any(line.startswith("FAIL  namespaces ") for line in lines), "in another network namespace: %s", lines)


@case("security: in another network namespace there is no goprobe, and goprobectl says so", per="boot")
def network_namespace(t):
    def other():
        unshare(CLONE_NEWNET)
        try:
            Client().close()
        except genl.Refused as e:
            return os.strerror(e.errno)
        return "there is"
    same(child(other), os.strerror(errno.ENOENT), "the family, in another network namespace")
    p = t.run("unshare", "--net", GOPROBECTL, "attach", "-b", t.binary("counter"), "main.doWork")
    p.finish(1)
    check("network namespace" in p.stderr(), "it said: %s", p.stderr())


def pass_fd(sock, fd):
    sock.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])


@case("security: a socket counts for what both are, who has opened it and who sends, or he alone if he names the receiver", per="boot")
def handed_over(t):
    # Root's socket in the hands of nobody.
    with Client() as client:
        def sends():
            become_nobody()
            refused = commands_refused(client)
            client.names = True
            return refused + commands_refused(client)
        same(child(sends), "", "nobody, with root's socket")
        client.new_session()
        same(child(sends), "", "nobody, with root's session")
        check(len(client.sessions()) == 1, "the session has ended")
    # A socket that the user nobody opened, in a process of root.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)

    def opens():
        become_nobody()
        client = Client()
        pass_fd(theirs, client.sock.fileno())
        ours.close()
        theirs.recv(1)
        return str(client.family)
    pid = os.fork()
    if not pid:
        with contextlib.suppress(BaseException):
            opens()
        os._exit(0)
    theirs.close()
    _, ancillary, _, _ = ours.recvmsg(1, 64)
    fd, = array.array("i", bytes(ancillary[0][2][:4]))
    with Client() as client:
        client.sock.close()
        client.sock = socket.socket(fileno=fd)
        client.sock.settimeout(60)
        same(commands_refused(client), "", "root, with nobody's socket")
        # A sender that names the receiver was not tricked into writing: the kernel checks the sender only (netlink_capable()).
        client.names = True
        client.new_session()
        same(len(client.sessions()), 1, "sessions of root, who names the receiver")
        client.names = False
        same(commands_refused(client), "", "root, with nobody's socket that has a session")
    ours.close()
    os.waitpid(pid, 0)
    check(nothing_probed(), "a session is left")


def ports(pid):
    """Those of a process's generic netlink sockets."""
    files = set()
    for fd in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):
            files.add(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
    with open("/proc/net/netlink", encoding="ascii") as f:
        sockets = [line.split() for line in f][1:]
    return [int(s[2]) for s in sockets if int(s[1]) == genl.NETLINK_GENERIC and "socket:[%s]" % s[9] in files]


def use_others(client, port):
    """Every command that needs a session, from a socket without one: with a session's number, and as if from its owner's port."""
    misuse = Misuse()
    number = client.sessions()[0][genl.GOPROBE_A_SESSION]
    for client.claims in (0, port):
        for name in ("START", "STOP", "READ", "GET_STATS", "TALLIES", "KEYS", "OPEN_CALLS", "POINTS_DEL"):
            command = getattr(genl, "GOPROBE_CMD_" + name)
            for payload in [], [(genl.GOPROBE_A_SESSION, number)]:
                misuse("%s from port %d" % (name, client.claims), lambda c=command, p=payload: client.call(c, p, dump=c in DUMPS))
    client.claims = 0
    return " | ".join(misuse.problems)


def forge(family, port, taken):
    """Messages to the owner's port, as the module would get them, and as it would send them; are they taken?"""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, genl.NETLINK_GENERIC) as forged:
        forged.bind((0, 0))
        for command in (genl.GOPROBE_CMD_STOP, NOTIFIES):
            message = struct.pack("=IHHIIBBH", 20, family, genl.NLM_F_REQUEST | genl.NLM_F_ACK, 0, port, command, 1, 0)
            try:
                sent = forged.sendto(message, (port, 0))
            except ConnectionRefusedError:
                sent = 0
            same(sent, len(message) if taken else 0, "bytes sent to port %d" % port)
        return forged.getsockname()[0]


@case("security: a session is its socket's: another one can neither use it nor end it, and none is reached by a number", per="boot")
def another_session(t):
    target = t.target("counter", "-hold", 10)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    found = ports(attach.pid)
    check(found, "goprobectl has no port")
    with Client() as client:
        same(len(client.sessions()), 1, "sessions that root can see")
        for port in found:
            same(use_others(client, port), "", "what was not refused")
            forge(client.family, port, taken=False)
        same(len(client.sessions()), 1, "sessions after it")
        # goprobectl's socket takes nothing but the kernel's. What is sent to the port of one that does goes there, not to the module.
        with Client() as owner:
            owner.new_session(target.pid)
            owner.call(genl.GOPROBE_CMD_START)
            sender = forge(client.family, owner.sock.getsockname()[0], taken=True)
            same([owner.sock.recvfrom(4096)[1][0] for _ in range(2)], [sender] * 2, "who has sent what the owner got")
            owner.call(genl.GOPROBE_CMD_STOP)
    target.send()
    same(target.line(), "counter=10", "the program's result")
    same(len(attach.interrupt().calls), 10, "calls")


PORTS = 4
THROTTLED = 1.0         # seconds: of each, what is not real-time has a twentieth (kernel.sched_rt_runtime_us)


def give_up(port, last):
    """The user nobody, who takes that port and gives it up in a loop. The process seldom runs, so it often stops midway."""
    become_nobody()
    os.sched_setaffinity(0, {last})
    while True:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, genl.NETLINK_GENERIC) as sock, contextlib.suppress(OSError):
            sock.bind((port, 0))


def keep_busy(last):
    parent = os.getppid()
    os.sched_setaffinity(0, {last})
    # In turns with whom RCU has given that priority, or no grace period would end.
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    while os.getppid() == parent:
        sum(range(10000))


@contextlib.contextmanager
def running(*functions):
    """Each in a process of its own."""
    pids = []
    for function in functions:
        pids.append(os.fork())
        if not pids[-1]:
            with contextlib.suppress(BaseException):
                function()
            os._exit(0)
    try:
        yield
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@case("security: who gives up a port does not end the session of who has it next", per="boot", slow=True)
def port_given_up(t):
    all_cpus = os.sched_getaffinity(0)
    last = max(all_cpus)
    ports = [0x70000000 + i for i in range(PORTS)]
    taken = 0
    if len(all_cpus) < 2:
        raise Skip("one processor")
    with running(*[lambda p=p: give_up(p, last) for p in ports], lambda: keep_busy(last)), on_cpus(all_cpus - {last}):
        for _ in range(8):
            time.sleep(THROTTLED)
            clients = []
            for port in ports:
                with contextlib.suppress(OSError):
                    clients.append(Client(port=port))
                    clients[-1].new_session(ring=64 << 10)
            time.sleep(THROTTLED)
            for client in clients:
                client.stats()
                client.close()
            taken += len(clients)
    check(taken, "there was never a port to be had")
    check(nothing_probed(), "a session is left")


@case("security: a client that seccomp kills, or that has used up what it may have, leaves nothing", per="boot")
def limits(t):
    target = t.target("load", "-pause", "1ms")
    path = target.argv[0]
    offset, _ = genl.elf_symbol(path, "main.handle")
    with open(path, "rb") as f:
        f.seek(offset)
        code = f.read(8)

    def strict():
        client = Client()
        client.new_session(target.pid)
        client.add_file(path)
        client.add_points([genl.point(offset, code)])
        client.call(genl.GOPROBE_CMD_START)
        check(target.probed("main.handle"), "no breakpoint")
        LIBC.prctl(PR_SET_SECCOMP, 1, 0, 0, 0)
        os.getppid()            # not a message: there a look at the clock would come first, which is SIGSEGV to it
        return "it lives"
    same(child(strict), "killed by %d" % signal.SIGKILL, "a client that may not send any more")
    wait_for("the end of its session", nothing_probed)
    same(target.patched(), 0, "changed bytes")

    # With each limit of open files goprobectl works, or says in one message why not.
    said = set()
    for files in range(4, 24, 2):
        p = t.goprobectl("attach", "--events", "1", "-p", target.pid, "main.handle",
                         preexec_fn=lambda n=files: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        status = p.wait()
        text = p.stderr()
        check(status == 0 or (status == 1 and text.startswith("goprobectl: ") and text.count("\n") <= 2) or status == 127,
              "with %d files: status %s: %s", files, status, text)
        said.add(status)
        p.kill()
    check(said >= {0, 1}, "exit status was always %s", said)
    check(nothing_probed() and target.patched() == 0, "something is left")
    check(not target.ended(), "the target ended")


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def memory_events(group):
    """How often which limit of the group was met."""
    with open(group + "/memory.events", encoding="ascii") as f:
        return {name: int(n) for name, n in map(str.split, f)}


@contextlib.contextmanager
def memory_group(t):
    """A control group for memory, without a limit, whose processes have ended at the end."""
    with mounted(t, "cgroup2", "rw", "cgroup") as top:
        with open(top + "/cgroup.controllers", encoding="ascii") as f:
            if "memory" not in f.read().split():
                raise Skip("no memory controller in this kernel's cgroup2")
        write(top + "/cgroup.subtree_control", "+memory")
        group = top + "/goprobe"
        os.mkdir(group)
        yield group
        wait_for("an empty group", lambda: not open(group + "/cgroup.procs", encoding="ascii").read())
        os.rmdir(group)


@case("security: memory of a session is its owner's: who may have little gets no large rings, and nobody else suffers", per="boot")
def control_group(t):
    with memory_group(t) as group:
        write(group + "/memory.max", str(24 << 20))
        target = t.target("load", "-pause", "1ms")
        p = t.goprobectl("attach", "--buffer", "64m", "-p", target.pid, "main.handle",
                         preexec_fn=lambda: write(group + "/cgroup.procs", "0"))
        status = p.wait()
        events = memory_events(group)
        same(status, 1, "the exit status; it said: " + p.stderr())
        check(re.search("memory", p.stderr()), "it said: %s", p.stderr())
        same(events["oom_kill"], 0, "processes that were killed")
        check(events["max"] or events["oom"], "the group's limit was never met: %s", short(events))
        wait_for("the end of its session", nothing_probed)
        same(target.patched(), 0, "changed bytes")
        # Outside the group there is enough memory.
        same(t.attach("--buffer", "4m", "main.foo", "--", t.binary("example")).finish().summary["events"], 2, "events of somebody else")
        check(not target.ended(), "the target ended")
        p.kill()


@case("security: tables that are too large for a control group are refused, and no program in it is killed for them", per="boot")
def control_group_tables(t):
    with memory_group(t) as group:
        target = t.target("load", "-pause", "1h")
        write(group + "/cgroup.procs", str(target.pid))
        path = target.argv[0]
        timed = [wire(p, 1, genl.GOPROBE_ACTION_TIME) for p in points_of(t, path, "main.handle")["main.handle"]]
        with Client() as client:
            most = client.limits()

        def asks(name, command, **limits):
            # In 7.2 vmalloc() gives back a moment later what it got before it failed: who touches a new page until then is killed.
            check(not LIBC.mlockall(1), "mlockall: errno %d", ctypes.get_errno())
            write(group + "/cgroup.procs", "0")
            with Client() as client:
                misuse = Misuse()
                client.new_session(target.pid, ring=64 << 10, **limits)
                client.add_file(path)
                misuse(name, lambda: command(client), errno.ENOMEM)
                return " | ".join(misuse.problems)
        member = [(genl.GOPROBE_A_GOROUTINES, genl.goroutine(1, target.pid))]
        write(group + "/memory.max", str(24 << 20))
        try:
            same(child(lambda: asks("calls", lambda c: c.add_points(timed), calls=most["calls"])), "", "open calls")
            same(child(lambda: asks("members", lambda c: c.call(genl.GOPROBE_CMD_GOROUTINES_ADD, member), members=most["goroutines"])),
                 "", "goroutines")
        finally:
            write(group + "/memory.max", "max")
        events = memory_events(group)
        check(events["max"], "the group's limit was never met: %s", short(events))
        same(events["oom_kill"], 0, "processes that were killed")
        check(not target.ended(), "the target ended")
        wait_for("the end of the sessions", nothing_probed)
        target.kill()


@case("security: lockdown: integrity lets goprobe trace, confidentiality refuses every command", per="end")
def lockdown(t):
    machine_only()
    at = "/sys/kernel/security"
    if not os.path.exists(at + "/lockdown"):
        subprocess.run(["mount", "-t", "securityfs", "securityfs", at], check=False, stderr=subprocess.DEVNULL)
    if not os.path.exists(at + "/lockdown"):
        raise Skip("this kernel has no lockdown")

    def lock(mode):
        with open(at + "/lockdown", "w", encoding="ascii") as f:
            f.write(mode)
    lock("integrity")
    same(t.attach("main.foo", "--", t.binary("example")).finish().summary["events"], 2, "events under integrity")
    lock("confidentiality")
    with Client() as client:
        same(commands_refused(client), "", "root, under confidentiality")
    p = t.goprobectl("attach", "main.foo", "--", t.binary("example"))
    p.finish(1)
    check("lockdown" in p.stderr(), "it said: %s", p.stderr())
