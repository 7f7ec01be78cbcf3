#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Pages of pictures in Chromium: a script of each row uses the page, and what it sees is compared.

usage: check.py [WORD...]      only claims with one of these words
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from flame import FLAME
from timeline import TIMELINE

DRAW = os.path.join("build", "pictures", "draw")


def page(row):
    """The picture of a row's input, with its script behind the picture's own one."""
    done = subprocess.run([DRAW, row["draw"]], input=row["input"].encode(), stdout=subprocess.PIPE, timeout=60, check=True)
    text, script = done.stdout.decode(), """\
const got = {};
try {
%s
%s
} catch (e) {
got.error = String(e.stack);
}
document.documentElement.dataset.got = JSON.stringify(got);""" % (row["tools"], row["script"])
    if row["draw"] == "timeline":
        return ".html", text.replace("</body>", "<script>%s</script></body>" % script)
    return ".svg", text.rpartition("</svg>")[0] + "<script><![CDATA[%s]]></script></svg>" % script


def look(chromium, row):
    """What the row's script saw."""
    with tempfile.TemporaryDirectory() as folder:
        suffix, text = page(row)
        path = os.path.join(folder, "page" + suffix)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        scheme = ["--blink-settings=preferredColorScheme=%d" % (0 if row.get("dark") else 1)]
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + folder, "--dump-dom",
                               "--window-size=%d,%d" % row.get("size", (1200, 700)), *scheme, "file://" + path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False,
                              env=dict(os.environ, DBUS_SESSION_BUS_ADDRESS="disabled:", DBUS_SYSTEM_BUS_ADDRESS="disabled:"))
    found = re.search(r' data-got="([^"]*)"', done.stdout.decode())
    if not found:
        raise AssertionError("the page's script failed: %s" % done.stderr.decode(errors="replace")[-2000:])
    return json.loads(html.unescape(found[1]))


def main(words):
    chromium, counts = shutil.which("chromium"), {"passed": 0, "failed": 0, "skipped": 0}
    for row in FLAME + TIMELINE:
        if words and not any(w in row["claim"] for w in words):
            continue
        said, why = "passed", ""
        if not chromium:
            said, why = "skipped", ": no chromium; 'tests/setup pictures' installs it"
        else:
            try:
                got = look(chromium, row)
                if got != row["want"]:
                    said, why = "failed", ": %s, expected %s" % (json.dumps(got, ensure_ascii=False), json.dumps(row["want"], ensure_ascii=False))
            except (AssertionError, subprocess.SubprocessError) as e:
                said, why = "failed", ": %s" % e
        counts[said] += 1
        print("%s %s%s" % ({"passed": "ok", "failed": "not ok", "skipped": "skipped"}[said], row["claim"], why), flush=True)
    print(", ".join("%d %s" % (n, said) for said, n in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
