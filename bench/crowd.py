# SPDX-License-Identifier: GPL-2.0
"""Commands that trace bench/crowd, while several of its threads call a function."""

import os
import re
import signal
import subprocess
import time

from guest import Failed, lines_of, say

WARM = 200                  # bench/crowd's
SECONDS = 900
# Name: command, without the options that all commands have.
ROWS = {
    "none": "",
    "count": "count main.work",
    "condition": "count 'main.work if a == 4'",
    "jump": "count --trapless always main.work",
    "latency": "latency main.work",
    "jump-time": "latency --trapless always main.work",
    "nested": "latency main.work main.part",
    "record": "attach --record /tmp/record 'main.work(a)'",
    "call": "attach --record /tmp/record --no-return 'main.work(a)'",
    "jump-record": "attach --record /tmp/record --trapless always 'main.work(a)'",
    "jump-call": "attach --record /tmp/record --no-return --trapless always 'main.work(a)'",
    "result": "attach --record /tmp/record 'main.work(a) if sum < 0'",
    "sample": "attach --record /tmp/record --no-return --sample 1/1000 'main.work(a)'",
    "by": "count --by a main.work",
    "jump-by": "count --trapless always --by a main.work",
    "latency-by": "latency --by a main.work",
    "stack": "stack main.work",
}


def is_jump(command):
    return "--trapless" in command


class Tracer:
    """goprobectl, from when it traces until it has ended."""

    def __init__(self, command, pid):
        self.log = open("/tmp/crowd.log", "w+", encoding="utf-8")
        self.out = open("/tmp/crowd.out", "w+", encoding="utf-8")
        words = [w.strip("'") for w in re.findall(r"'[^']*'|\S+", command)]
        self.process = subprocess.Popen(["goprobectl", words[0], "--max-load", "off", "-p", str(pid), *words[1:]],
                                        stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.log)
        self.wait("tracing", lambda: "Ctrl-C ends" in self.said(self.log))
        if is_jump(command):
            self.wait("a jump", lambda: '"trap":"none"' in subprocess.run(
                ["goprobectl", "list", "-o", "json"], stdout=subprocess.PIPE, text=True, check=True).stdout)

    def said(self, file):
        # Not through its own file, whose position is where it writes.
        with open(file.name, encoding="utf-8") as f:
            return f.read()

    def wait(self, what, done):
        end = time.monotonic() + SECONDS
        while not done():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failed("no %s: %s" % (what, self.said(self.log)))
            time.sleep(0.1)

    def end(self, calls):
        """It has seen that many calls of each function, passed or rejected. None: it may lose some."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(SECONDS)
        said = self.said(self.log)
        if calls:
            say(said)
        seen = sum(map(int, re.findall(r"^(\d+) (?:calls|events)", said, re.M)))
        if status or not seen or (calls and seen % calls):
            raise Failed("status %d, %d calls and events: %s" % (status, seen, said))

class Crowd:
    """The program, which calls main.work."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, GODEBUG="asyncpreemptoff=1"))
        self.pid = self.process.pid
        lines_of(self.process, SECONDS)

    def call(self, threads, calls, share=False):
        """Nanoseconds for that many calls by each thread."""
        self.process.stdin.write("%d %d%s\n" % (threads, calls, " share" if share else ""))
        self.process.stdin.flush()
        return int(lines_of(self.process, SECONDS))

    def end(self):
        self.process.stdin.close()
        return self.process.wait()
