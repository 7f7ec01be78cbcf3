#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Counts of bench/where.c to instructions per call, by function.

usage: where.py COUNTS KALLSYMS GOPROBECTL CALLS
"""

import bisect
import collections
import subprocess
import sys

LEAST = 0.5             # instructions per call: what is less is put together
PIE = 0x555555554000    # where Linux puts a program when it does not choose at random
LIBRARIES = 0x7f0000000000


def kernel_symbols(kallsyms):
    """Address, and name with the module, of each function."""
    with open(kallsyms) as f:
        for line in f:
            address, kind, name, *module = line.split()
            if kind in "tTwW":
                yield int(address, 16), " ".join([name] + module)


def symbols(kallsyms, program):
    yield from kernel_symbols(kallsyms)
    for line in subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        address, kind, name = ([""] + line.split())[-3:]
        if address and kind in "tTwW":
            yield PIE + int(address, 16), "goprobectl: " + name


def main():
    counts, kallsyms, program, calls = sys.argv[1:]
    table = sorted(symbols(kallsyms, program))
    addresses = [address for address, _ in table]
    total = collections.Counter()
    with open(counts) as f:
        for line in f:
            address, times = line.split()
            address = int(address, 16)
            if address < PIE:
                name = "the target"
            elif LIBRARIES <= address < 1 << 63:
                name = "libraries"
            else:
                name = table[bisect.bisect(addresses, address) - 1][1]
            total[name] += int(times) / int(calls)
    few = sum(n for n in total.values() if n < LEAST)
    print("%8.1f  all, the unprobed call among them" % sum(total.values()))
    for name, n in total.most_common():
        if n >= LEAST:
            print("%8.1f  %s" % (n, name))
    print("%8.1f  what is less than %.1f each" % (few, LEAST))


if __name__ == "__main__":
    main()
