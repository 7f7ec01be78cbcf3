# SPDX-License-Identifier: GPL-2.0
"""--lossless: the program waits, nothing is lost, and nobody waits for ever."""

import signal
import time

from lib import case, check, cut_short, on_cpus, same, wait_for

CALLS = 10000
ROOM_SECONDS = 5        # GP_STREAM_ROOM_MS of kmod/stream.c


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
    wait_for("a thread waiting for room", lambda: waiting(target))
    return target, attach, began


@case("--lossless: with a tiny buffer every call and return is delivered, and the summary tells who waited")
def tiny_buffer(t):
    target, attach, _ = stalled(t)
    attach.signal(signal.SIGCONT)
    same(target.line(), "counter=%d" % CALLS, "the program's result")
    trace = attach.interrupt()
    same((len(trace.calls), len(trace.returns), trace.lost), (CALLS, CALLS, 0), "calls, returns and losses")
    check(trace.summary["waits"] > 0 and trace.summary["wait_seconds"] > 0, "nobody waited: %s", trace.summary)


@case("--lossless: a reader that stands still is waited for once, then losses are counted, exactly")
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


# What waits is the record of the call, which the return has let go.
@case("--lossless: so does a thread that waits with a call that was held")
def reader_killed_held(t):
    # In the ring of another processor there would be room.
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
