# SPDX-License-Identifier: GPL-2.0
"""Where what is traced may lie: file systems, mounts, namespaces, containers; and what may be done to the file meanwhile."""

import contextlib
import errno
import mmap
import os
import re
import shutil
import struct
import subprocess

import genl
from lib import MODULE, Skip, case, check, same

LOADER = "/lib64/ld-linux-x86-64.so.2"


def machine_only():
    if not os.path.exists(MODULE):
        raise Skip("this changes the machine, and is only done in one of tests/vm/run")


@contextlib.contextmanager
def mounted(t, kind, options, name):
    machine_only()
    at = os.path.join(t.tmp, name)
    os.makedirs(at, exist_ok=True)
    p = subprocess.run(["mount", "-t", kind, "-o", options, kind, at], check=False, stderr=subprocess.PIPE)
    check(not p.returncode, "%s can't be mounted: %s", kind, p.stderr.decode().strip())
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", at], check=False)


def both_ways(t, path, want):
    """By process and by file, with one that runs already and one that does not."""
    for by in ("-p", "-b"):
        target = t.target(path, "-hold", 30)
        attach = t.attach(by, str(target.pid) if by == "-p" else path, "main.doWork").attached()
        target.send()
        same(target.line(), "counter=30", "the program's result")
        target.finish()
        if by == "-b":
            same(subprocess.run([path, "20"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()[-1],
                 "counter=20", "another one's result")
        trace = attach.interrupt() if by == "-b" else attach.finish()
        same((len(trace.calls), len(trace.returns)), (want[by], want[by]), "%s: calls and returns of %s" % (by, path))


EACH = {"-p": 30, "-b": 50}


@case("files: on 9p, on tmpfs, on overlayfs, in its lower layer, through another mount, and in another mount namespace")
def file_systems(t):
    source = t.binary("counter")
    # As the host has it: on a network file system, under the overlay that this machine's root is.
    both_ways(t, os.path.join(t.targets, "counter"), EACH)
    with mounted(t, "tmpfs", "size=256m", "tmpfs") as tmpfs:
        layers = {k: os.path.join(tmpfs, k) for k in ("lower", "upper", "work", "merged", "bound")}
        for path in layers.values():
            os.mkdir(path)
        shutil.copy(source, layers["lower"] + "/counter")
        both_ways(t, layers["lower"] + "/counter", EACH)
        options = "lowerdir=%(lower)s,upperdir=%(upper)s,workdir=%(work)s" % layers
        with mounted(t, "overlay", options, "overlay") as overlay:
            both_ways(t, overlay + "/counter", EACH)
            # A file that has been changed there lies in the upper layer.
            shutil.copy(source, overlay + "/written")
            os.chmod(overlay + "/counter", 0o700)
            both_ways(t, overlay + "/written", EACH)
            both_ways(t, overlay + "/counter", EACH)
        subprocess.run(["mount", "--bind", layers["lower"], layers["bound"]], check=True)
        try:
            # The process runs it there, and it is traced here.
            target = t.target(layers["bound"] + "/counter", "-hold", 30)
            attach = t.attach("-b", layers["lower"] + "/counter", "main.doWork").attached()
            target.send()
            target.line()
            same(len(attach.interrupt().calls), 30, "calls through another mount")
        finally:
            subprocess.run(["umount", "-l", layers["bound"]], check=True)
    # Here there is no such path: the file is found by what the process runs.
    inside = os.path.join(t.tmp, "inside")
    os.mkdir(inside)
    script = "mount -t tmpfs tmpfs %s && cp %s %s/counter && exec %s/counter -hold 30" % (inside, source, inside, inside)
    with_namespace = t.run("unshare", "--mount", "sh", "-c", script)
    ready = with_namespace.line()
    check(ready and ready.startswith("ready "), "no program in the other namespace: %s", with_namespace.stderr())
    check(not os.path.exists(inside + "/counter"), "the file is here as well")
    attach = t.attach("-p", ready.split()[1], "main.doWork").attached()
    with_namespace.send()
    same(with_namespace.line(), "counter=30", "the program's result")
    with_namespace.finish()
    same(len(attach.finish().calls), 30, "calls in another mount namespace")


def child_of(pid):
    """The first process that this one has started."""
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return next(iter(map(int, f.read().split())), None)


@case("files: on hugetlbfs, where the kernel takes no breakpoints, a message says so, and nothing is left")
def no_breakpoints(t):
    path = t.binary("counter")
    offset, _ = genl.elf_symbol(path, "main.doWork")
    with open(path, "rb") as f:
        binary = f.read()
    pages = "/proc/sys/vm/nr_hugepages"
    if not os.path.exists(pages):
        raise Skip("this kernel has no hugetlbfs")
    with open(pages, encoding="ascii") as f:
        before = f.read()
    # A file there can't be written, but mapped.
    size = -(-len(binary) // (2 << 20)) * (2 << 20)
    try:
        with mounted(t, "hugetlbfs", "pagesize=2M", "huge") as huge:
            with open(pages, "w", encoding="ascii") as f:
                f.write("%d\n" % (size >> 21))
            fd = os.open(huge + "/counter", os.O_RDWR | os.O_CREAT)
            os.ftruncate(fd, size)
            with mmap.mmap(fd, size) as mapped:
                mapped[:len(binary)] = binary
            os.close(fd)
            with genl.Client() as client:
                client.new_session()
                client.add_file(huge + "/counter", genl.runtime())
                for _ in range(2):
                    try:
                        client.add_points([genl.point(offset, binary[offset:offset + 16], action=genl.GOPROBE_ACTION_COUNT)])
                        check(False, "the kernel took it")
                    except genl.Refused as e:
                        check(e.errno == errno.EIO and "the kernel refused the breakpoint" in str(e), "it said: %s", e)
                same(genl.points(client.sessions()[0].get(genl.GOPROBE_A_POINTS, b"")), [], "points of the session")
            os.unlink(huge + "/counter")
    finally:
        with open(pages, "w", encoding="ascii") as f:
            f.write(before)


@case("files: in a container, with a root, users, processes, mounts and a network of its own, and in a control group")
def container(t):
    machine_only()
    with mounted(t, "cgroup2", "rw", "cgroup") as top, mounted(t, "tmpfs", "size=64m", "root") as root:
        group = top + "/container"
        os.mkdir(group)
        shutil.copy(t.binary("counter"), root + "/counter")
        # Programs that are PIE want it, though they need no library.
        os.mkdir(root + "/lib64")
        shutil.copy(LOADER, root + LOADER)
        runtime = t.run("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup",
                        "chroot", root, "/counter", "-hold", 30)
        ready = runtime.line()
        same(ready, "ready 1", "what the program says in there: %s" % runtime.stderr())
        pid = child_of(runtime.pid)
        with open(group + "/cgroup.procs", "w", encoding="ascii") as f:
            f.write(str(pid))
        attach = t.attach("-p", pid, "main.doWork").attached()
        by_file = t.attach("-b", root + "/counter", "main.doWork").attached()
        runtime.send()
        same(runtime.line(), "counter=30", "the program's result")
        runtime.finish()
        for trace in attach.finish(), by_file.interrupt():
            same((len(trace.calls), len(trace.returns)), (30, 30), "calls and returns")
            same({e["pid"] for e in trace.calls}, {pid}, "its number, as it is here")
        os.rmdir(group)


@case("files: a traced file can't be written to, truncated or mapped for writing; it can be replaced and deleted")
def written(t):
    path = t.copy("counter")
    # No process runs the file: otherwise the kernel itself would protect it.
    attach = t.attach("-b", path, "main.doWork").attached()
    for flags, what in ((os.O_WRONLY, "written to"), (os.O_RDWR, "mapped"), (os.O_WRONLY | os.O_TRUNC, "truncated")):
        try:
            os.close(os.open(path, flags))
        except OSError as e:
            same(e.strerror, "Text file busy", "what is traced, when it is to be " + what)
        else:
            check(False, "what is traced can be %s", what)
    other = t.copy("example", "new")
    os.rename(other, path)
    same(subprocess.run([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines(),
         ["x=99, y=9801, z=0", "z=9900"], "what another program in its place prints")
    same(len(attach.interrupt().calls), 0, "calls of the one that was replaced")
    os.close(os.open(path, os.O_WRONLY))
    fd = os.open(path, os.O_WRONLY)
    try:
        refused = t.goprobectl("attach", "-b", path, "main.foo")
        refused.finish(1)
        check("open for writing" in refused.stderr(), "it said: %s", refused.stderr())
    finally:
        os.close(fd)


def split(t, name):
    """The program without debug information, the file that has it, and their build id. Both lie in a folder of their own."""
    at = os.path.join(t.tmp, "split")
    shutil.rmtree(at, ignore_errors=True)
    os.mkdir(at)
    full, debug, prog, note = (os.path.join(at, n) for n in ("full", "prog.debug", "prog", "note"))
    shutil.copy(t.binary(name), full)
    found = re.search("Build ID: ([0-9a-f]+)", subprocess.run(["readelf", "-n", full], check=True, stdout=subprocess.PIPE).stdout.decode())
    build_id = found[1] if found else "1d" * 20
    if not found:
        # Before 1.24 Go's linker leaves none.
        with open(note, "wb") as f:
            f.write(struct.pack("<III4s", 4, 20, 3, b"GNU\0") + bytes.fromhex(build_id))
        subprocess.run(["objcopy", "--add-section", ".note.gnu.build-id=" + note, full], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", full, debug], check=True)
    subprocess.run(["objcopy", "--strip-all", full, prog], check=True)
    return prog, debug, build_id


@case("files: separate debug information is found by .gnu_debuglink, by build id, in a container, and by debuginfod")
def separate(t):
    machine_only()
    prog, debug, build_id = split(t, "counter")

    def signature(*of, **env):
        listing = t.goprobectl("list", *of, "main.forkAndWork", env=dict(os.environ, **env))
        text = "\n".join(listing.drain())
        listing.finish()
        return text

    check("(n int64)" not in signature("-b", prog), "without it there is a signature")
    by_id = "/usr/lib/debug/.build-id/%s/%s.debug" % (build_id[:2], build_id[2:])
    os.makedirs(os.path.dirname(by_id), exist_ok=True)
    shutil.copy(debug, by_id)
    check("(n int64)" in signature("-b", prog), "by build id: %s", signature("-b", prog))
    target = t.target(prog, "-hold", 30)
    # Without debug information there is no parameter n.
    attach = t.attach("-p", target.pid, "main.doWork", "main.forkAndWork(n)").attached()
    target.send()
    target.finish()
    same(len(attach.finish().calls), 30, "calls")
    os.remove(by_id)
    served = os.path.join(t.tmp, "served", "buildid", build_id)
    os.makedirs(served)
    shutil.copy(debug, served + "/debuginfo")
    got = signature("-b", prog, DEBUGINFOD_URLS="file://" + os.path.join(t.tmp, "served"), DEBUGINFOD_CACHE_PATH=os.path.join(t.tmp, "cache"))
    check("(n int64)" in got, "by debuginfod: %s", got)
    subprocess.run(["objcopy", "--add-gnu-debuglink=" + debug, prog], check=True)
    with mounted(t, "tmpfs", "size=64m", "root") as root:
        for path in "/app", "/lib64", "/usr/lib/debug/app":
            os.makedirs(root + path)
        shutil.copy(prog, root + "/app/prog")
        shutil.copy(debug, root + "/usr/lib/debug/app/prog.debug")
        shutil.copy(LOADER, root + LOADER)
        target = t.run("chroot", root, "/app/prog", "-hold", 30)
        same(target.line(), "ready %d" % target.pid, "what the program says")
        got = signature("-p", str(target.pid))
        check("(n int64)" in got, "in a container: %s", got)
        target.send()
        target.finish()
