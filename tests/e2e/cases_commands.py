# SPDX-License-Identifier: GPL-2.0
"""Cases that are one command: a row is its claim, its arguments, its exit status, and a regular expression of what it says.

What the tool decides by itself is a row of tests/unit. Here are commands as users type them, and what they find around them.
"""

import os
import re
import shlex

from lib import case, check, same, short

# @NAME is the process id of a program that waits, %NAME a program's file.
REFUSED = (
    ("no such process", "attach -p 4194000 main.foo", 1, r"no process 4194000|no such process"),
    ("a pid that is no number", "attach -p x12 main.foo", 2, r"x12"),
    ("a kernel thread", "attach -p 2 main.foo", 1, r"process 2\b|kernel thread"),
    ("a process that is no Go program", "attach -p @sleep main.foo", 1, r"not a Go (binary|program)"),
    ("a file that is no Go binary", "list -b /bin/true", 1, r"not a Go (binary|program)"),
    ("a file that is no ELF file", "list -b /etc/passwd", 1, r"not an? ELF|not ELF"),
    ("a directory", "list -b /etc", 1, r"/etc.*directory"),
    ("no such file", "list -b /nowhere/at/all", 1, r"/nowhere/at/all.*No such file"),
    ("a truncated ELF file", "list -b %truncated", 1, r"truncated|damaged"),
    ("an ELF header only", "list -b %header", 1, r"truncated|damaged|not a Go"),
    ("no function of that name, with near names", "attach -p @counter main.doWrok", 1, r"(?s)doWrok.*main\.doWork"),
    ("an invalid regexp", "attach -p @counter '/main.(/'", 2, r"main\.\("),
    ("a command that does not exist", "attach main.foo -- /nowhere/prog", 1, r"/nowhere/prog.*No such file"),
    ("a command that is no Go program", "attach main.foo -- /bin/true", 1, r"not a Go (binary|program)"),
    ("an unknown option", "attach --frobnicate -p 1 main.foo", 2, r"frobnicate"),
    ("a number of events as other tools have it", "attach -n 5 -p @counter main.doWork", 2, r"(?s)'-n'.*'--events N' does that"),
    ("a number of lines as other tools have it", "watch -n 5 -p @counter main.counter", 2, r"(?s)'-n'.*'--count N' does that"),
    ("a duration as other tools have it", "count -d 5 -p @counter main.doWork", 2, r"(?s)'-d'.*'--duration TIME' does that"),
    ("a number of events by another name", "attach --count 5 -p @counter main.doWork", 2, r"(?s)'--count'.*'--events N' does that"),
    ("a pod that is not there", "count --pod shop main.doWork", 1, r"(?s)there is no pod 'shop'.*'goprobectl ps' lists"),
    ("a container and a process", "count --container shop -p 1 main.doWork", 2, "choose one"),
    ("a container and a control group", "count --container shop --cgroup /x main.doWork", 2, "choose one"),
    ("a control group that is not there", "read --cgroup /x main.a", 1, r"(?s)there is no control group '/x'.*/sys/fs/cgroup"),
    ("a condition as an option", "attach --filter 'n>3' -p @counter main.doWork", 2, r"(?s)'--filter'.*'main.f if n > 3'"),
    ("an init function that has run", "attach -p @counter main.init.77", 1, r"main\.init\.77"),
    ("an unknown command", "atach -p 1 main.foo", 2, r"(?s)atach.*attach"),
    ("a command by another name", "trace -p 1 main.foo", 2, r"(?s)'trace'.*'goprobectl attach' does that"),
    ("a command by another name, with its options", "record -p 1", 2, r"(?s)'record'.*'goprobectl attach --record FILE' does that"),
    ("a live table without a terminal", "top -p @counter main.doWork", 2, r"(?s)no terminal.*latency -i 1s"),
    ("the examination by another name", "check", 2, r"(?s)'check'.*'goprobectl doctor' does that"),
    ("a search in no program", "search doWork", 2, r"-p PID or -b FILE"),
    ("a search for no word", "search -p @counter", 2, r"A WORD is missing"),
    ("a search for a word with a typing error", "search -p @counter doWrok", 1, r"(?s)no function matches 'doWrok'.*main.doWork"),
    ("a process by a name that none has", "attach -p countre main.doWork", 2, r"(?s)'countre' is not a process id.*goprobectl ps"),
    ("names of processes with a comma", "attach -p counter,shopd main.doWork", 2, r"(?s)not a process id.*name of one program"),
    ("a condition that was not quoted", "attach -p @counter main.doWork if n==1", 2, r"(?s)'if' belongs.*'main.doWork if n==1'"),
    ("nothing near, with the command that searches", "attach -p @counter 'main.nowhere*'", 1,
     r"'goprobectl search -p @counter nowhere' finds"),
    ("no command", "", 2, r"(?i)usage"),
    ("no pattern", "attach -p @counter", 2, r"pattern|function"),
    ("no target", "attach main.foo", 2, r"-p|target"),
    ("both a process and a command", "attach -p @counter main.foo -- /bin/true", 2, r"-p|command"),
    ("an invalid duration", "attach --duration 5parsecs -p @counter main.doWork", 2, r"5parsecs"),
    ("an unknown output format", "attach -o yaml -p @counter main.doWork", 2, r"(?s)yaml.*json"),
    ("an output file that can't be written", "attach --output /nowhere/x -p @counter main.doWork", 1, r"/nowhere/x"),
    ("a function that was inlined away", "attach -b %types main.half", 1, r"inlined"),
    ("a pattern of count that has values", "count -p @counter main.doWork(x)", 2, r"a pattern names functions here, nothing of them"),
    ("a unit of the histogram without one", "count -p @counter --sum i --linear 0,10,1 main.doWork", 2,
     r"(?s)--linear is about the histogram.*--hist EXPR --linear"),
    ("metrics with values", "count -p @counter --sum i -o openmetrics main.doWork", 2, r"(?s)and no values of --hist.*-o json"),
    ("metrics with values, over HTTP", "count -p @counter --sum i --listen 9464 main.doWork", 2, r"(?s)and no values of --hist.*-o json"),
    ("metrics at intervals without a file", "count -p @counter -o openmetrics -i 1s main.doWork", 2,
     r"--output FILE is replaced every time"),
    ("a picture of text", "stack -p @counter -o json --open main.doWork", 2, r"(?s)--open shows pictures.*-o flamegraph is one"),
    ("a picture of a recording that is written", "attach --record /tmp/x --open main.foo -- %example", 2, r"(?s)--open means nothing.*replay"),
    ("a picture of a table", "replay --open --diff /tmp/old.rec /tmp/new.rec", 2, r"--open can't show"),
    ("a picture at intervals", "stack -p @counter --open -i 1s main.doWork", 2, r"written once"),
    ("a picture that could not be read again", "graph -p @counter --open --output /dev/null main.doWork", 1, r"/dev/null, which is no regular file"),
    ("an output that others have", "stack -p @counter -o xml main.doWork", 2, r"text, json, folded, pprof or flamegraph"),
    ("a flame graph at intervals", "stack -p @counter -o flamegraph -i 1s main.doWork", 2, r"written once"),
    ("a flame graph in a folder that is absent", "stack -p @counter -o flamegraph --output /no/such/folder main.doWork", 1, r"can't write"),
    ("spans without returns", "attach -p @counter -o otlp --no-return main.doWork", 2, r"how long calls take"),
    ("a trace without returns", "attach -p @counter -o chrome --no-return main.doWork", 2, r"how long calls take"),
    ("a timeline without returns", "attach -p @counter -o timeline --no-return main.doWork", 2, r"how long calls take"),
    ("variables of no place", "list -b %counter --vars", 2, r"--vars needs a place"),
    ("no variable to watch", "watch -p @counter", 2, r"which variables"),
    ("a window of two recordings", "replay --since 1s --diff /tmp/old.rec /tmp/new.rec", 2, r"--diff compares whole recordings"),
    ("trees of two recordings", "replay --graph --diff /tmp/old.rec /tmp/new.rec", 2, r"--diff prints a table of durations"),
    ("two recordings as spans", "replay -o otlp --diff /tmp/old.rec /tmp/new.rec", 2, r"--diff is text or JSON"),
    ("a recording in a folder's place", "attach --record /tmp main.foo -- %example", 1, r"can't write"),
    ("a recording on a full disk", "attach --record /dev/full main.foo -- %example", 1, r"can't write /dev/full: No space left"),
)

SHOWN = tuple(("its version for %s" % word, word, 0, r"^goprobectl \d+\.\d+\.\d+\n$") for word in ("--version", "-V", "-v", "version"))


RUN = (
    ("the list, with a line for each", "run", 0, r"(?m)^  sql +Which SQL statements .*\?$"),
    ("the list as a topic", "help recipes", 0, r"(?m)^  locks +Who waits for locks"),
    ("the text of one", "run locks --help", 0, r"(?ms)^Who waits for locks.*^    stack --weight time"),
    ("no recipe of that name", "run sqll -p 1", 2, r"(?s)no recipe 'sqll' in .*did you mean 'sql'"),
    ("its name behind its options", "run -p 1 sql", 2, r"(?s)name of the recipe comes first, not '-p'"),
    ("a pattern of the user", "run gc -p @counter main.doWork", 2, r"(?s)takes options only: what is 'main.doWork'\?.*copy the command"),
    ("an option of no command", "run gc -p @counter --nosuch", 2, r"unknown option '--nosuch'"),
    ("no target", "run gc", 2, r"nothing to trace: give -p PID"),
    ("a program without what it asks for", "run sql -p @counter", 1, r"counter has nothing that the recipe 'sql' asks for: 'database/sql\.\(\*DB\)\.queryDC', "),
    ("one of variables", "run config -p @counter", 0,
     r"(?ms)^left out, since counter has nothing of that name: .*viper\.v\.config.*^also of use: goprobectl search --vars config -p @counter$.*"),
)


def program_file(t, name):
    """The file of a program; or one that is cut."""
    if name not in ("truncated", "header"):
        return t.binary(name)
    path = t.copy("counter", name)
    os.truncate(path, 64 if name == "header" else os.path.getsize(path) // 2)
    return path


def words(t, text, waiting):
    """The words of a command. The programs that have to wait for it are started, and stay in @waiting by their names."""
    def value(m):
        kind, name = m.groups()
        if kind == "%":
            return program_file(t, name)
        if name not in waiting:
            waiting[name] = t.run("sleep", "1000") if name == "sleep" else t.target(name, "-hold", 1)
        return str(waiting[name].pid)
    return [re.sub(r"^([@%])(\w+)$", value, word) for word in shlex.split(text)]


def check_row(t, command, status, pattern):
    waiting = {}
    process = t.goprobectl(*words(t, command, waiting))
    said = "".join(line + "\n" for line in process.finish(status)) + process.stderr()
    pattern = re.sub(r"@(\w+)", lambda m: str(waiting[m.group(1)].pid), pattern)
    check(re.search(pattern, said), "nothing like %r in: %s", pattern, short(said))
    check(status != 1 or process.stderr().startswith("goprobectl: "), "it does not say who speaks: %s", short(said))
    for name, program in waiting.items():
        same(name != "sleep" and program.patched(), False, "bytes of %s that are changed" % name)


for kind, rows in ("refused", REFUSED), ("shown", SHOWN), ("run", RUN):
    for claim, *what in rows:
        case("%s: %s" % (kind, claim), per="boot")(lambda t, what=what: check_row(t, *what))
