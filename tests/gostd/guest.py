#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run test binaries of Go's standard library without and with probes, inside the machine that tests/vm/run boots.

    guest.py OUT GOROOT VERSION JOB...

JOB is a line of tests/gostd/jobs. OUT/BUILD/PACKAGE.test are the binaries; what they print, and the tables of calls, go
to OUT/log. See tests/gostd/run.
"""

import collections
import fnmatch
import json
import os
import re
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))
sys.dont_write_bytecode = True

import lib                          # noqa: E402

VERDICT = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(([0-9.]+)s\)")
LEFT_OUT = re.compile(r"^\d+ functions? or places? left out: .*", re.M)
STARTED = re.compile(r"^\w+ (\d+) functions? at (\d+) breakpoints?", re.M)

Job = collections.namedtuple("Job", "name package build mode env budget seconds only")
Known = collections.namedtuple("Known", "version package test reason")
Run = collections.namedtuple("Run", "verdicts times status late stuck text")


def words(path):
    """The lines of a table, without comments."""
    with open(path) as f:
        return [line.split(None, 3) for line in f if line.strip() and not line.startswith("#")]


def parse_job(line):
    """PACKAGE BUILD MODE [NAME=VALUE...]: budget=, seconds= and only= are ours, the rest is the program's environment."""
    package, build, mode, *rest = line.split()
    settings = dict(word.split("=", 1) for word in rest)
    budget = float(os.environ.get("GOSTD_BUDGET") or settings.pop("budget", 1))
    seconds = float(os.environ.get("GOSTD_SECONDS") or settings.pop("seconds", 300))
    only = settings.pop("only", "")
    settings = {k: v for k, v in settings.items() if k not in ("budget", "seconds")}
    what = [package, mode] + ([] if build == "exe" else [build]) + sorted("%s=%s" % item for item in settings.items())
    return Job(" ".join(what), package, build, mode, settings, budget, seconds, only)


def processor_time(pid):
    """Clock ticks that all threads of a process have had so far."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    except (FileNotFoundError, ProcessLookupError):
        return None


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(word) for word in f.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def give_up(popen, program):
    """End a program that is late. True if it was not only slow, but did nothing any more."""
    pids = [p for p in [popen.pid] + children(popen.pid) if os.path.realpath("/proc/%d/exe" % p) == program]
    before = [processor_time(p) for p in pids]
    time.sleep(10)
    stuck = bool(pids) and [processor_time(p) for p in pids] == before
    for number in (signal.SIGQUIT,) * stuck + (signal.SIGKILL,):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        time.sleep(2)
    try:
        popen.wait(120)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()
        stuck = True
    return stuck


def execute(command, program, log, env, cwd, seconds):
    late = stuck = False
    with open(log, "wb") as out, open(log + ".err", "wb") as err:
        popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd)
        try:
            popen.wait(seconds)
        except subprocess.TimeoutExpired:
            late, stuck = True, give_up(popen, program)
    with open(log, errors="replace") as f:
        text = f.read()
    found = VERDICT.findall(text)
    return Run({name: verdict for verdict, name, _ in found}, {name: float(t) for _, name, t in found},
               popen.returncode, late, stuck, text)


def top(name):
    return name.partition("/")[0]


def choose(run, budget):
    """The tests that take least, as many as take @budget together; and those that are left out."""
    names = sorted((name for name in run.times if name == top(name)), key=lambda name: (run.times[name], name))
    chosen, used = [], 0
    for name in names:
        used += run.times[name]
        if used > budget:
            break
        chosen.append(name)
    return chosen, names[len(chosen):]


class Suite:
    def __init__(self, out, goroot, version):
        self.out, self.goroot, self.version = out, goroot, version
        self.known = [Known(*row) for row in words(os.path.join(HERE, "known"))]
        self.passed = self.failed = self.skipped = 0
        self.totals = collections.Counter()
        self.timed = {}
        os.makedirs(os.path.join(out, "log"), exist_ok=True)

    def environment(self, job):
        env = {k: v for k, v in os.environ.items() if not k.startswith("GO")}
        env.update(job.env, GOROOT=self.goroot, HOME="/tmp", GOTRACEBACK="all")
        return env

    def why_known(self, job, test):
        for row in self.known:
            if fnmatch.fnmatch(self.version, row.version) and row.package == job.package and re.fullmatch(row.test, test):
                return row.reason
        return None

    @staticmethod
    def wrong(text):
        print("    wrong: " + text, flush=True)

    def alone(self, job, program, log, env, cwd):
        """All tests once, in the default environment, to choose by their times; then the chosen ones until there are two runs."""
        key = (job.package, job.build, job.only)
        args = [program, "-test.short", "-test.v", "-test.timeout=0"]
        if key not in self.timed:
            default = {k: v for k, v in env.items() if k not in job.env}
            self.timed[key] = execute(args + ["-test.run=" + job.only], program, log + ".all", default, cwd, job.seconds)
        timed = first = self.timed[key]
        chosen, left = choose(timed, job.budget)
        args.append("-test.run=^(%s)$" % "|".join(re.escape(name) for name in chosen))
        if job.env:
            first = execute(args, program, log + ".first", env, cwd, job.seconds)
        if timed.late:
            print("    not done within %d s without probes; what would have come then is not known" % job.seconds)
        return first, chosen, left, args, execute(args, program, log + ".plain", env, cwd, job.seconds)

    def probed(self, job, args, program, log, env, cwd):
        path = dict(env, PATH=os.environ["PATH"])
        if job.mode == "time":
            tool = ["goprobectl", "latency", "--max-load", "off", "-o", "json", "*", "--"]
        elif job.mode == "count":
            tool = ["goprobectl", "count", "--max-load", "off", "-o", "json", "*", "--"]
        elif job.mode == "record":
            tool = ["goprobectl", "attach", "--max-load", "off", "--depth", "1", "--objects", "8", "--bytes", "512",
                    "--buffer", "8m", "--record", "/dev/null", "*", "--"]
        else:
            raise SystemExit("%s: mode %s is not time, count or record" % (job.name, job.mode))
        run = execute(tool + args, program, log + ".probed", path, cwd, job.seconds)
        with open(log + ".probed.err", errors="replace") as f:
            return run, f.read()

    def compare(self, job, chosen, first, plain, run):
        """Verdicts of all tests that were chosen, subtests with their test. Counts and prints; returns what was the same."""
        trees = [collections.defaultdict(dict) for _ in range(3)]
        for tree, verdicts in zip(trees, (first.verdicts, plain.verdicts, run.verdicts)):
            for name, verdict in verdicts.items():
                tree[top(name)][name] = verdict
        count, late = collections.Counter(), []
        for test in chosen:
            one, two, with_probes = (tree[test] for tree in trees)
            if test not in two and test not in with_probes:
                # Nothing is the same as nothing, but nobody knows what they do.
                self.wrong("%s: no verdict, without probes or with" % test)
                self.failed += 1
                continue
            if two == with_probes:
                count["same"] += 1
                count["subtests"] += len(two) - 1
                count[two.get(test, "no verdict")] += 1
                continue
            shown = "%s: %s without probes, %s with" % (test, two.get(test), with_probes.get(test))
            if two.get(test) == with_probes.get(test):
                shown += "; subtests: %s" % sorted(set(two.items()) ^ set(with_probes.items()))[:6]
            if one != two:
                print("    skip %s (and it differs without probes, too)" % shown)
                self.skipped += 1
            elif run.late and not run.stuck and test not in with_probes:
                late.append(test)
                self.skipped += 1
            elif self.why_known(job, test):
                print("    skip %s: known: %s" % (shown, self.why_known(job, test)))
                self.skipped += 1
            else:
                self.wrong(shown)
                self.failed += 1
        self.passed += count["same"]
        if late:
            print("    skip %d tests, not reached within %d s: %s" % (len(late), job.seconds, " ".join(late)))
        return count

    def plausible(self, job, run, plain, said):
        """Print and add up the counts of goprobectl."""
        bad, calls, hits = [], collections.Counter(), 0
        started = STARTED.search(said)
        functions, points = map(int, started.groups()) if started else (0, 0)
        if functions < 1000:
            bad.append("%d functions were probed" % functions)
        summary = None
        if job.mode == "record":
            summary = re.search(r"^(\d+) events?\b.*", said, re.M)
            hits = int(summary.group(1)) if summary else 0
            print("    " + (summary.group(0) if summary else "no summary"))
        else:
            for line in run.text.splitlines():
                at = line.find('{"kind":"')
                if at >= 0:
                    row = json.loads(line[at:])
                    if row["kind"] == "summary":
                        summary = row
                    elif row["kind"] in ("latency", "count"):
                        # A closure of a function that was inlined may be there twice.
                        calls[row["func"]] += row["calls"]
            hits = sum(calls.values())
            if summary and summary["calls"] != hits:
                bad.append("the summary has %d calls, the rows %d" % (summary["calls"], hits))
            if summary and summary.get("no_room"):
                print("    %d calls found no room" % summary["no_room"])
        if not hits or not summary:
            bad.append("%d hits, %s" % (hits, "a summary" if summary else "no summary"))
        if calls and not run.late and run.status == plain.status:
            kinds = collections.Counter("sub" if "/" in name else re.match("Test|Fuzz|Example|", name).group()
                                        for name in run.verdicts)
            # The first one runs all others; each bubble of synctest has one more, of its test's name.
            bubbles = calls["testing/synctest.testingSynctestTest"]
            for function, expected in (("testing.tRunner", 1 + kinds["Test"] + kinds["sub"] + bubbles),
                                       ("testing.fRunner", kinds["Fuzz"]), ("testing.runExample", kinds["Example"])):
                got = calls[function]
                if got != expected:
                    bad.append("%s was called %d times, the tests report %d" % (function, got, expected))
        self.totals.update(functions=functions, points=points, calls=hits)
        for line in LEFT_OUT.finditer(said):
            print("    " + line.group())
        print("    %d functions at %d breakpoints, %d of them called, %d %s" %
              (functions, points, len(calls), hits, "records" if job.mode == "record" else "calls"))
        return bad

    def run(self, job):
        began = time.monotonic()
        file = job.package.replace("/", "-") + ".test"
        program, cwd = "/tmp/" + file, os.path.join(self.goroot, "src", job.package)
        log = os.path.join(self.out, "log", re.sub(r"[^\w.=-]+", "_", job.name))
        env = self.environment(job)
        subprocess.run(["cp", os.path.join(self.out, job.build, file), program], check=True)
        first, chosen, left, args, plain = self.alone(job, program, log, env, cwd)
        print("%s: %d of %d tests, without probes %.1f s" %
              (job.name, len(chosen), len(chosen) + len(left), time.monotonic() - began), flush=True)
        if job.only:
            print("    only tests that match " + job.only)
        if left:
            print("    left out, as they take too long: " + " ".join(left))
        before = time.monotonic()
        run, said = self.probed(job, args, program, log, env, cwd)
        count = self.compare(job, chosen, first, plain, run)
        bad = self.plausible(job, run, plain, said)
        if run.status != plain.status and not run.late and not self.failed_alike(plain, run):
            bad.append("exit status %s, without probes %s" % (run.status, plain.status))
        if run.stuck:
            bad.append("it did nothing any more, and was ended")
        try:
            lib.wait_for("the session ending", lib.nothing_probed)
        except lib.Failure as e:
            bad.append(str(e))
        if not count["same"]:
            bad.append("no test was the same")
        for text in bad:
            self.wrong(text)
        self.passed += not bad
        self.failed += bool(bad)
        self.totals.update(jobs=1, tests=count["same"], subtests=count["subtests"])
        print("%s %s: %d tests with %d subtests the same (%d passed, %d failed, %d skipped), probed %.0f s" %
              ("not ok" if bad else "ok", job.name, count["same"], count["subtests"], count["PASS"], count["FAIL"],
               count["SKIP"], time.monotonic() - before), flush=True)
        os.unlink(program)

    @staticmethod
    def failed_alike(plain, run):
        """Whether known or flaky tests made exactly one of both runs fail; the report of these tests covers that."""
        return {plain.status, run.status} == {0, 1} and plain.verdicts != run.verdicts


def main():
    out, goroot, version, *lines = sys.argv[1:]
    # Tests that build programs would take an hour each: without the go command they skip themselves.
    os.makedirs("/tmp/empty", exist_ok=True)
    subprocess.run(["mount", "--bind", "/tmp/empty", os.path.join(goroot, "bin")], check=True)
    suite = Suite(out, goroot, version)
    for line in lines:
        suite.run(parse_job(line))
    t = suite.totals
    print("%d runs with probes: %d tests and %d subtests; %d functions at %d breakpoints, %d calls and records" %
          (t["jobs"], t["tests"], t["subtests"], t["functions"], t["points"], t["calls"]))
    print("%d passed, %d failed, %d skipped" % (suite.passed, suite.failed, suite.skipped))
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
