# SPDX-License-Identifier: GPL-2.0
"""Containers, pods and control groups: which processes are traced, those that start later among them."""

import contextlib
import errno
import json
import os
import shutil
import signal
import struct

import genl
from cases_count import started
from cases_files import machine_only, mounted
from cases_refuse import Misuse
from cases_trapless import allowed, are_jumps, counted, points
from lib import case, check, same, wait_for

UID = "8c5b1f52-2a6b-4c9e-9d0f-1b2c3d4e5f60"
DOCKER = "/var/lib/docker/containers"
LINKS = "/var/log/containers"


def digits(n):
    return "%x" % n * 64


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def named(n, name):
    write("%s/%s/config.v2.json" % (DOCKER, digits(n)), json.dumps({"Name": "/" + name, "Config": {"Labels": {}}}))


def scope(top, n):
    path = "%s/system.slice/docker-%s.scope" % (top, digits(n))
    os.makedirs(path)
    return path


def enter(group, pid=0):
    with open(group + "/cgroup.procs", "w", encoding="ascii") as f:
        f.write(str(pid))


def inside(t, group, *args):
    """A program that is in the control group before it executes its file, as runtimes do it."""
    return t.target("counter", *args, preexec_fn=lambda: enter(group))


def later(t, group, *argv):
    """A shell in the control group, which executes the program after a line."""
    shell = t.run("sh", "-c", 'echo ready; read x; exec "$@"', "sh", *argv, preexec_fn=lambda: enter(group))
    same(shell.line(), "ready", "what the shell says")
    return shell


def leave(group):
    """Remove a control group, once its last process has left it."""
    def empty():
        with open(group + "/cgroup.procs", encoding="ascii") as f:
            return not f.read()
    wait_for("an empty control group", empty)
    os.rmdir(group)


def ps(t, *args):
    return {e["pid"]: e for e in map(json.loads, t.goprobectl("ps", "-o", "json", *args).finish())}


@contextlib.contextmanager
def machine(t):
    """Directories of control groups; the files of runtimes are removed afterwards."""
    machine_only()
    with mounted(t, "cgroup2", "rw", "cgroup") as top:
        try:
            yield top
        finally:
            for path in (DOCKER, LINKS):
                shutil.rmtree(path, ignore_errors=True)
            for path, _, _ in os.walk(top + "/system.slice", topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(path)


def work(*targets):
    for target in targets:
        target.send()
        same(target.line(), "counter=30", "the program's result")
        target.finish()


@case("containers: one is traced, with what starts in it later, and not the other that runs the same file")
def one_of_two(t):
    with machine(t) as top:
        shop, other = scope(top, 1), scope(top, 2)
        named(1, "shop")
        named(2, "other")
        first, foreign = inside(t, shop, "-hold", 30), inside(t, other, "-hold", 30)
        listed = ps(t)
        same((listed[first.pid]["container"], listed[first.pid]["container_name"]), (digits(1)[:12], "shop"), "what ps says")
        same(list(ps(t, "--container", "other")), [foreign.pid], "the processes of the other one")
        traces = [t.attach("--container", "shop", "main.doWork").attached(), t.attach("--cgroup", shop, "main.doWork").attached(),
                  t.attach("--container", "shop", "-b", t.binary("counter"), "main.doWork").attached()]
        later, strange = inside(t, shop, "-hold", 30), inside(t, other, "-hold", 30)
        same((first.breakpoints() > 0, later.breakpoints() > 0, strange.breakpoints()), (True, True, 0), "who has breakpoints")
        work(first, foreign, later, strange)
        # It ends with the container, not with the processes that were there at first.
        last = inside(t, shop, "-hold", 30)
        work(last)
        leave(shop)
        for trace in [attach.finish() for attach in traces]:
            same({e["pid"] for e in trace.calls}, {first.pid, later.pid, last.pid}, "the processes that were traced")
            same((len(trace.calls), len(trace.returns)), (90, 90), "calls and returns")
            check("has ended; if it was started again" in trace.stderr, "it said: %s", trace.stderr)


@case("containers: one that was started again is found by its name, and one that does not run is not")
def again(t):
    with machine(t) as top:
        named(1, "shop")
        refused = t.goprobectl("count", "--container", "shop", "main.doWork")
        refused.finish(1)
        check("no process of container 'shop' runs now" in refused.stderr(), "it said: %s", refused.stderr())
        new = scope(top, 3)
        named(3, "shop")
        target = inside(t, new, "-hold", 30)
        attach = t.attach("--container", "shop", "main.doWork").attached()
        work(target)
        leave(new)
        same(len(attach.finish().calls), 30, "calls")
        os.mkdir(top + "/system.slice/empty")
        refused = t.goprobectl("count", "--cgroup", top + "/system.slice/empty", "main.doWork")
        refused.finish(1)
        check("no process runs in control group" in refused.stderr(), "it said: %s", refused.stderr())


@case("containers: a pod is followed through restarts of its containers, and waited for by a file")
def pod(t):
    with machine(t) as top:
        its = "%s/system.slice/kubepods-pod%s.slice" % (top, UID.replace("-", "_"))
        groups = ["%s/cri-containerd-%s.scope" % (its, digits(n)) for n in (4, 5)]
        os.makedirs(groups[0])
        write("%s/web-0_shop_app-%s.log" % (LINKS, digits(4)), "")
        first = inside(t, groups[0], "-hold", 30)
        attach = t.attach("--pod", "shop/web-0", "main.doWork").attached()
        work(first)
        leave(groups[0])
        os.mkdir(groups[1])
        second = inside(t, groups[1], "-hold", 30)
        work(second)
        trace = attach.interrupt()
        same({e["pid"] for e in trace.calls}, {first.pid, second.pid}, "the processes that were traced")
        leave(groups[1])
        attach = t.attach("--cgroup", its, "-b", t.binary("counter"), "main.doWork").attached()
        os.mkdir(groups[0])
        work(inside(t, groups[0], "-hold", 30))
        same(len(attach.interrupt().calls), 30, "calls of a process that came after the trace")


@case("containers: processes that move, fork, are nested or in other namespaces count where they are, beside one with the same file")
def hostile(t):
    with machine(t) as top:
        shop, other = scope(top, 1), scope(top, 2)
        nested = shop + "/nested"
        os.mkdir(nested)
        binary = t.binary("counter")
        first, foreign = inside(t, shop, "-hold", 30), inside(t, other, "-hold", 30)
        attach = t.attach("--cgroup", shop, "main.doWork").attached()
        # What was there at first is traced wherever it goes; what starts later, while it is in the group.
        enter(other, first.pid)
        left = inside(t, shop, "-hold", 30)
        enter(other, left.pid)
        # It has mapped its file in the other group: there are no breakpoints, or they count.
        entered = foreign
        enter(shop, entered.pid)
        forks = inside(t, shop, "-hold", "-fork", 20, 30)
        deep = inside(t, nested, "-hold", 30)
        moved, outside = later(t, other, binary, "30"), later(t, shop, binary, "30")
        spaces = later(t, shop, "unshare", "-C", "-p", "-f", binary, "30")
        enter(shop, moved.pid)
        enter(other, outside.pid)
        for shell in moved, outside, spaces:
            shell.send()
            check(shell.finish()[-1] == "counter=30", "the result of a program that is executed")
        forks.send()
        check(forks.line().startswith("child "), "what the parent of a child says")
        same(forks.line(), "counter=30", "the program's result")
        forks.finish()
        work(first, left, entered, deep)
        calls = {}
        for e in attach.interrupt().calls:
            calls[e["pid"]] = calls.get(e["pid"], 0) + 1
        unknown = {pid: n for pid, n in calls.items() if pid not in {p.pid for p in (first, left, entered, forks, deep, moved, outside, spaces)}}
        same((calls.get(first.pid), calls.get(forks.pid), calls.get(deep.pid), calls.get(moved.pid)), (30, 30, 30, 30), "calls in the group")
        same((calls.get(left.pid), calls.get(outside.pid)), (None, None), "calls outside of it")
        check(calls.get(entered.pid) in (None, 30), "calls of one that entered: %s", calls.get(entered.pid))
        same(sorted(unknown.values()), [20, 30], "calls of a child, and of a program in other namespaces")


@case("containers: what is followed takes traps, and jumps follow nothing; in both cases all calls count")
def jumps(t):
    with allowed(), machine(t) as top:
        shop, other = scope(top, 1), scope(top, 2)
        for when in "auto", "always":
            always = when == "always"
            first, foreign = (t.target("whirl", preexec_fn=lambda group=group: enter(group)) for group in (shop, other))
            process = started(t, "count", "--cgroup", shop, "-o", "json", "--trapless", when, "main.step")
            if always:
                found = points(first.pid)
                check(found, "no point may become a jump")
                wait_for("jumps", lambda first=first, found=found: are_jumps(first, found))
            enter(other, first.pid)
            second = t.target("whirl", preexec_fn=lambda: enter(shop))
            same((second.breakpoints() > 0, foreign.patched()), (not always, 0), "who has breakpoints")
            made = []
            for target in first, second, foreign:
                target.send("calls 100")
                made.append(json.loads(target.line())["main.step"])
            process.signal(signal.SIGINT)
            calls, summary = counted(process)
            want = made[0] if always else made[0] + made[1]
            same((calls["main.step"], summary.get("without_trap", 0)), (want, want if always else 0), "calls, and those without a trap")
            same("that start later are not traced, as their hits take traps" in process.stderr(), always, "whether it warned")
            for target in first, second, foreign:
                target.finish()


def dying(top):
    """How many control groups were removed, while something refers to them."""
    with open(top + "/cgroup.stat", encoding="ascii") as f:
        return int(dict(line.split() for line in f)["nr_dying_descendants"])


@case("containers: what is no control group of version 2 is refused, and a removed one is referred to no longer than by its session", per="boot")
def netlink(t):
    misuse = Misuse()
    new, group = genl.GOPROBE_CMD_SESSION_NEW, genl.GOPROBE_SESSION_F_CGROUP

    def ask(client, fd, flags=group):
        return client.call(new, [(genl.GOPROBE_A_FLAGS, genl.u32(flags)), (genl.GOPROBE_A_FD, genl.u32(fd))])

    with machine(t) as top, mounted(t, "cgroup", "none,name=goprobe", "old") as old, contextlib.ExitStack() as stack:
        def opened(path, how=os.O_RDONLY):
            fd = os.open(path, how)
            stack.callback(os.close, fd)
            return fd

        path = scope(top, 1)
        before = dying(top)
        with genl.Client() as client:
            misuse("no descriptor", lambda: ask(client, 987), errno.EBADF)
            misuse("descriptor -1", lambda: ask(client, -1), errno.EBADF)
            misuse("a directory of something else", lambda: ask(client, opened("/tmp")), errno.EBADF)
            misuse("a control group's file", lambda: ask(client, opened(path + "/cgroup.procs")), errno.EBADF)
            misuse("a control group of version 1", lambda: ask(client, opened(old)), errno.EBADF)
            misuse("no attribute", lambda: client.call(new, [(genl.GOPROBE_A_FLAGS, genl.u32(group))]), errno.EBADF)
            misuse("no flag", lambda: ask(client, opened(path), 0), errno.EINVAL)
            misuse("a process that is not there", lambda: client.call(new, [
                (genl.GOPROBE_A_PIDS, struct.pack("=i", 4194000)), (genl.GOPROBE_A_FLAGS, genl.u32(group)),
                (genl.GOPROBE_A_FD, genl.u32(opened(path)))]), errno.ESRCH)
            ask(client, opened(path))
            misuse("a second session of a socket", lambda: ask(client, opened(path)), errno.EEXIST)
            mine = [s for s in client.sessions() if genl.GOPROBE_A_FLAGS in s]
            same([(genl.number(s[genl.GOPROBE_A_FLAGS]), genl.GOPROBE_A_PIDS in s) for s in mine], [(group, False)], "the session's flags")
            late = os.open(path, os.O_RDONLY)
            stack.close()
            os.rmdir(path)
            wait_for("a control group that the session refers to", lambda: dying(top) == before + 1)
            with genl.Client() as another:
                misuse("a control group that was removed", lambda: ask(another, late), errno.ENOENT)
            os.close(late)
            client.add_file(t.binary("counter"))
            client.call(genl.GOPROBE_CMD_START)
        wait_for("the end of all references", lambda: dying(top) == before)
    misuse.verdict()


@case("containers: the processes of a control group of version 1 are traced, and it is said that later ones are not")
def version_1(t):
    with machine(t), mounted(t, "cgroup", "none,name=goprobe", "old") as old:
        group = old + "/shop"
        os.mkdir(group)
        first = inside(t, group, "-hold", 30)
        attach = t.attach("--cgroup", group, "main.doWork").attached()
        second = inside(t, group, "-hold", 30)
        work(second, first)
        trace = attach.finish()
        same({e["pid"] for e in trace.calls}, {first.pid}, "the processes that were traced")
        check("that start later are not traced: it has no control group of version 2" in trace.stderr, "it said: %s", trace.stderr)
        leave(group)
