# SPDX-License-Identifier: GPL-2.0
"""The breakpoints of all functions of a program, by the tool's own decision."""

import json
import os
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def build_tool():
    subprocess.run(["make", "-s", "-C", TOP, "tool"], check=True, stdout=sys.stderr)


def events_of(binary):
    """What "goprobectl list --points" prints, of the kinds "point" and, at the end, "points". Needs no module."""
    end = False
    with subprocess.Popen([os.path.join(TOP, "build/tool/goprobectl"), "list", "--points", "-o", "json", "-b", binary],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tool:
        for line in tool.stdout:
            event = json.loads(line)
            end = event["kind"] == "points"
            yield event
    if tool.returncode or not end:
        sys.exit(f"goprobectl list failed for {binary}")


def percent(part, whole):
    """Rounded down, so that 100.0 means all."""
    tenths = part * 1000 // whole if whole else 1000
    return f"{tenths // 10}.{tenths % 10} %"
