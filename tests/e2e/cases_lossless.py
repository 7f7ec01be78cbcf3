# SPDX-License-Identifier: GPL-2.0
"""--lossless: the program waits, nothing is lost, and nobody waits for ever."""

import contextlib
import errno
import os
import signal
import socket
import subprocess
import time

import genl
from lib import Skip, case, check, cut_short, on_cpus, same, wait_for

CALLS = 10000
ROOM_SECONDS = 5        # GP_STREAM_ROOM_MS of kmod/session/stream.c


def waiting(target):
    """Threads of the target that sleep where only SIGKILL wakes them."""
    return [tid for tid, state in target.threads() if state == "D"]


def stalled(t, spec="main.doWork"):
    """A target with a thread that waits for a reader that stands still; and when it did not yet."""
    target = t.target("counter", "-hold", CALLS)
    attach = t.attach("--lossless", "--buffer", "64K", "-p", target.pid, spec).attached()
    attach.signal(signal.SIGSTOP)
    began = time.monotonic()
    target.send()
    wait_for("a thread waiting for space", lambda: waiting(target))
    return target, attach, began


@case("--lossless: with a tiny buffer every call and return is delivered, and the summary says which thread waited")
def tiny_buffer(t):
    target, attach, _ = stalled(t)
    attach.signal(signal.SIGCONT)
    same(target.line(), "counter=%d" % CALLS, "the program's result")
    trace = attach.interrupt()
    same((len(trace.calls), len(trace.returns), trace.lost), (CALLS, CALLS, 0), "calls, returns and losses")
    check(trace.summary["waits"] > 0 and trace.summary["wait_seconds"] > 0, "nobody waited: %s", trace.summary)


@case("--lossless: a program waits once for a reader that stands still, then losses are counted exactly")
def stands_still(t):
    target, attach, _ = stalled(t)
    same(target.line(), "counter=%d" % CALLS, "the program's result")
    attach.signal(signal.SIGCONT)
    trace = attach.interrupt()
    # As the module has measured it: this process may have come late.
    check(trace.summary["wait_seconds"] > ROOM_SECONDS * 0.95, "it waited for %.1f s only", trace.summary["wait_seconds"])
    check(trace.lost > 0, "nothing was lost with a reader that stood still")
    same(len(trace.calls) + len(trace.returns) + trace.lost, 2 * CALLS, "delivered and lost")
    check(trace.summary["waits"] <= 16, "it waited %d times", trace.summary["waits"])


@contextlib.contextmanager
def tap():
    """A socket that gets all netlink messages, and keeps as many as fit."""
    if subprocess.run(["modprobe", "nlmon"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("this kernel has no nlmon to tap netlink with")
    subprocess.run(["ip", "link", "add", "nlmon0", "type", "nlmon"], check=True)
    try:
        subprocess.run(["ip", "link", "set", "nlmon0", "up"], check=True)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as s:    # ETH_P_ALL
            s.bind(("nlmon0", 0))
            yield s
    finally:
        subprocess.run(["ip", "link", "del", "nlmon0"], check=True)
        subprocess.run(["rmmod", "nlmon"], check=True)


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@case("--lossless: the same for a tap on netlink that keeps pages of the ring while goprobectl rests", per="boot", slow=True)
def tapped(t):
    target = t.target("counter", "-hold", CALLS)
    with on_cpus({0}):
        attach = t.attach("--lossless", "--buffer", "256K", "-p", target.pid, "main.doWork").attached()
    os.sched_setaffinity(target.pid, {0})
    for tid, _ in target.threads():
        os.sched_setaffinity(tid, {0})
    with tap():
        # Messages are pages of the ring only where much is read at once.
        attach.signal(signal.SIGSTOP)
        target.send()
        wait_for("a thread waiting for space", lambda: waiting(target))
        attach.signal(signal.SIGCONT)
        same(target.line(), "counter=%d" % CALLS, "the program's result")
        began, used = time.monotonic(), processor_seconds(attach.pid)
        time.sleep(2)
        used = processor_seconds(attach.pid) - used
        check(used < (time.monotonic() - began) / 2, "goprobectl took %.2f s of a processor with nothing to read", used)
    trace = attach.interrupt()
    check(trace.lost > 0, "nothing was lost: the tap has kept nothing")
    same(len(trace.calls) + len(trace.returns) + trace.lost, 2 * CALLS, "delivered and lost")
    check(trace.summary["waits"] <= 16, "it waited %d times", trace.summary["waits"])


@case("netlink: three lossless sessions can probe a place, and no fourth", per="boot")
def three_at_a_place(t):
    path = t.binary("counter")
    offset, _ = genl.elf_symbol(path, "main.doWork")
    target = t.target("counter", "-hold", CALLS)
    code = target.bytes_at(offset, 16)[1]
    with contextlib.ExitStack() as stack:
        clients = []
        for i in range(5):
            client = stack.enter_context(genl.Client())
            client.new_session(target.pid, flags=genl.GOPROBE_SESSION_F_LOSSLESS if i != 1 else 0)
            client.add_file(path, genl.runtime())
            if i < 4:
                client.add_points([genl.point(offset, code)])
            clients.append(client)
        fourth = clients[4]

        def refused(client, id_):
            try:
                client.add_points([genl.point(offset, code, id=id_)])
                check(False, "the module took a fourth one")
            except genl.Refused as e:
                check(e.errno == errno.EMLINK and "three lossless sessions" in str(e), "it said: %s", e)
        refused(fourth, 0)
        # A second one of a session makes a hit wait once more.
        refused(clients[0], 1)
        clients[1].add_points([genl.point(offset, code, id=1)])
        clients[2].del_points(0)
        fourth.add_points([genl.point(offset, code)])


@case("--lossless: a thread that waits dies at once when it is killed")
def killed_waiting(t):
    def kill():
        target, attach, began = stalled(t)
        target.signal(signal.SIGKILL)
        target.wait()
        took = time.monotonic() - began
        attach.signal(signal.SIGCONT)
        check(attach.finish(status=0).calls, "no calls")
        return took
    cut_short(kill, ROOM_SECONDS)


@case("--lossless: a thread that waits goes on at once when goprobectl is killed")
def reader_killed(t):
    reader_ends(t, "main.doWork")


# The waiting record is that of the call, which the return has released.
@case("--lossless: the same for a thread that waits with a held call")
def reader_killed_held(t):
    # The ring of another processor would have space.
    with on_cpus({0}):
        reader_ends(t, "main.doWork if duration > 0s")


def reader_ends(t, spec):
    def kill():
        target, attach, began = stalled(t, spec)
        attach.signal(signal.SIGKILL)
        same(target.line(), "counter=%d" % CALLS, "the program's result")
        took = time.monotonic() - began
        same(attach.wait(), -signal.SIGKILL, "how goprobectl ended")
        check(not target.probed("main.doWork"), "a breakpoint is left in the target")
        return took
    cut_short(kill, ROOM_SECONDS)
