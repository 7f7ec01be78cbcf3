#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Rounds of bench/sharing.c to cache lines that several processors write in each call.

usage: sharing.py OUT KERNEL
"""

import bisect
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True

from sharing_guest import CONTROL, THREADS    # noqa: E402
from where import kernel_symbols    # noqa: E402

RARE = 0.02             # a processor that writes a line in fewer of its calls does not count
FEW = 0.02              # of all calls, for one of the processors
LEAST = 0.05            # lines per call: less is noise, of timers and of the scheduler
USER_END = 1 << 47
# Functions that write what others have passed to them.
HELPERS = re.compile(r"(_raw_|queued_|native_queued_|mem(cpy|set|move)|__mem|rep_|copy_)")


class Round:
    """What OUT.N has: calls by processor, and lines."""

    def __init__(self, path):
        self.calls, self.lines = {}, []
        here = self.calls
        with open(path, encoding="ascii") as f:
            for text in f:
                kind, *words = text.split()
                if kind == "line":
                    here = {}
                    self.lines.append({"address": int(words[0], 16), "writes": here, "code": []})
                elif kind == "cpu":
                    here[int(words[0])] = int(words[1])
                else:
                    self.lines[-1]["code"].append((int(words[0], 16), *map(int, words[1:])))

    def shared(self):
        """Lines that two processors or more, of those that call, write in more than a few of their calls."""
        for line in self.lines:
            writers = [cpu for cpu in self.calls if line["writes"].get(cpu, 0) > RARE * self.calls[cpu]]
            if len(writers) > 1:
                yield line


class Names:
    """Whose code is at an address, and its function."""

    def __init__(self, kallsyms):
        self.table = sorted(kernel_symbols(kallsyms))
        self.addresses = [address for address, _ in self.table]
        self.generated = []

    def of(self, address):
        if any(begin <= address < end for begin, end in self.generated):
            return "goprobe", "generated code"
        if address < USER_END:
            return "program", "the program"
        name, *module = self.table[bisect.bisect(self.addresses, address) - 1][1].split()
        return "goprobe" if module == ["[goprobe]"] else "kernel", name


def owner_of(line, names):
    """Whose a line is, and the functions that write it.

    goprobe's: its code writes it, or its code reads it and only helpers of the kernel (spin locks, memcpy) write it."""
    writers, touches = collections.defaultdict(set), set()
    for address, _, loads, stores in line["code"]:
        who, function = names.of(address)
        touches.add(who)
        if stores:
            writers[who].add(function)
    ours = writers.get("goprobe")
    if ours:
        return "goprobe", ours
    kernel = writers.get("kernel", set())
    if "goprobe" in touches and kernel and all(map(HELPERS.match, kernel)):
        return "goprobe", kernel
    return ("kernel", kernel) if kernel else ("program", writers["program"])


def summarize(data, names):
    """Lines per call and locked instructions per call by owner and functions."""
    total = sum(data.calls.values())
    found = collections.defaultdict(lambda: [0, 0])
    for line in data.shared():
        who, functions = owner_of(line, names)
        sums = found[who, ", ".join(sorted(functions))]
        sums[0] += sum(line["writes"].get(cpu, 0) for cpu in data.calls) / total
        sums[1] += sum(stores for _, locked, _, stores in line["code"] if locked) / total
    return {k: v for k, v in found.items() if v[0] >= LEAST}


def main():
    out, kernel = sys.argv[1:]
    names = Names(os.path.join(out, "kallsyms"))
    details, figures = [], []
    with open(os.path.join(out, "rounds"), encoding="ascii") as f:
        rounds = [json.loads(line) for line in f]
    print("\n%-66s %17s %17s" % ("kernel " + kernel + ": shared lines, locked instructions per call", "kernel's", "goprobe's"))
    for n, meta in enumerate(rounds):
        names.generated = meta["generated"]
        data = Round(os.path.join(out, "lines.%d" % n))
        if sum(n > FEW * sum(data.calls.values()) for n in data.calls.values()) < THREADS:
            sys.exit("sharing: %s: not all processors have made calls: %s" % (meta["row"], data.calls))
        found = summarize(data, names)
        sums = {who: [sum(v[i] for (w, _), v in found.items() if w == who) for i in (0, 1)] for who in ("kernel", "goprobe", "program")}
        if abs(sums["program"][0] - (meta["row"] == CONTROL)) > LEAST:
            sys.exit("sharing: %s: lines that the program's threads share: %s" % (meta["row"], found))
        if meta["row"] == CONTROL:
            continue
        print("%-66s %8.2f %8.2f %8.2f %8.2f" % (meta["title"], *sums["kernel"], *sums["goprobe"]))
        for (who, functions), (lines, locked) in sorted(found.items(), key=lambda x: -x[1][0]):
            details.append("%-12s %-8s %5.2f %5.2f  %s" % (meta["row"], who, lines, locked, functions))
        figures += ["figure %s-%s-%s %.0f" % (kernel, meta["row"], who, 100 * sums[who][0]) for who in ("kernel", "goprobe")]
    print("\nThese lines, and the functions that write them:")
    print("\n".join(details) or "none")
    print("\n" + "\n".join(figures))


if __name__ == "__main__":
    sys.exit(main())
