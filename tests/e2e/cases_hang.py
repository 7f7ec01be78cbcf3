# SPDX-License-Identifier: GPL-2.0
"""Whoever is made to wait for long: others go on meanwhile, on the whole host."""

import contextlib
import threading

import genl
from cases_lossless import waiting
from cases_session import code_of
from genl import Client
from lib import case, check, wait_for


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


@case("netlink: who waits for hits in one file holds up nobody who places breakpoints in another", per="boot")
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
