# SPDX-License-Identifier: GPL-2.0
"""The goprobe protocol spoken by hand, for tests of what the module refuses.

Numbers and structs come from the headers in include/uapi themselves, so they cannot differ.
Nothing here is checked before it is sent: sending nonsense is the purpose.
"""

import collections
import os
import re
import socket
import struct
import types

UAPI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../include/uapi")

NETLINK_GENERIC = 16
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSGERR_ATTR_MSG = 1
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2


def _header():
    """Text of both headers of the protocol, without comments."""
    text = ""
    for name in "goprobe_prog.h", "goprobe.h":
        with open(os.path.join(UAPI, name)) as f:
            text += f.read()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def _constants():
    """GOPROBE_* enumerators and plain #defines of the headers."""
    text = _header()
    values = {}
    for body in re.findall(r"enum\s+\w+\s*\{(.*?)\}", text, flags=re.S):
        n = 0
        for item in filter(None, (i.strip() for i in body.split(","))):
            name, _, explicit = (p.strip() for p in item.partition("="))
            if explicit:
                n = eval(explicit, {}, values)  # our own header
            values[name] = n
            n += 1
    for name, text_value in re.findall(r"#define\s+(GOPROBE_\w+)\s+(\S.*)", text):
        try:
            values[name] = eval(re.sub(r"(\d|0x[0-9a-f]+)(ULL|U|u)\b", r"\1", text_value), {}, values)
        except (SyntaxError, NameError):
            pass
    return values


globals().update(_constants())


class Layout:
    """A struct of the protocol: bytes from its fields, and back."""

    CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "s32": "i", "s64": "q"}

    def __init__(self, name, fields):
        """fields: [(name, what struct has for its type)]"""
        self.struct = struct.Struct("=" + "".join(code for _, code in fields))
        self.size = self.struct.size
        self.row = collections.namedtuple(name, [field for field, _ in fields],
                                          defaults=[b"" if code[-1] == "s" else 0 for _, code in fields])
        self.wraps = [code == "Q" for _, code in fields]

    def pack(self, **fields):
        return self.struct.pack(*(v & (1 << 64) - 1 if w else v for v, w in zip(self.row(**fields), self.wraps)))

    def unpack(self, data):
        return self.row._make(self.struct.unpack_from(data))


def _layouts():
    """The structs of the headers, by their names without "goprobe_"."""
    found = {}
    for name, body in re.findall(r"struct goprobe_(\w+) \{(.*?)\};", _header(), flags=re.S):
        fields = []
        for inner, kind, field, n in re.findall(r"(?:struct goprobe_(\w+)|__(\w+))\s+(\w+)(?:\[(\w+)\])?;", body):
            size = found[inner].size if inner else n and int(globals().get(n, n))
            fields.append((field, "%ds" % size if size else Layout.CODES[kind]))
        found[name] = Layout(name, fields)
    return types.SimpleNamespace(**found)


LAYOUT = _layouts()


def packer(name, order, **defaults):
    """A function from fields of a struct to bytes. Its arguments without names are those of order."""
    def pack(*args, **fields):
        return getattr(LAYOUT, name).pack(**dict(defaults, **dict(zip(order.split(), args)), **fields))
    return pack


class Refused(Exception):
    """The kernel's answer to a command that it does not carry out."""

    def __init__(self, errno, message):
        super().__init__("%s: %s" % (os.strerror(errno), message))
        self.errno = errno
        self.message = message


def u32(n):
    return struct.pack("=I", n & 0xffffffff)


def number(data):
    """Of an attribute that is a u32."""
    return struct.unpack("=I", data)[0]


def u64(n):
    return struct.pack("=Q", n)


type_ = packer("type", "size ref nrefs")
ref = packer("ref", "offset kind type flags count count_offset count_size elements_shift")
dynamic = packer("dynamic", "address type flags")
piece = packer("piece", "source reg size frame offset address")
op = packer("op", "code a b size offset value")
plan = packer("plan", "type piece npieces", string_limit=256, elements=64, objects=128, bytes=8192, depth=3)
runtime = packer("runtime", "g_reg", g_reg=14, g_tls=-8, g_stack_hi=8, g_goid=0x98, g_m=0x30, m_curg=0xc0, m_procid=0x48)
goroutine = packer("goroutine", "goid tgid")
_point = packer("point", "offset code id plan kind skip flags sp_adjust", plan=GOPROBE_NO_PLAN, kind=GOPROBE_POINT_CALL)


def point(offset, code, *args, **fields):
    return _point(offset, code, *args, **dict({"code_len": len(code)}, **fields))


def points(data):
    """The points of GOPROBE_A_POINTS."""
    return [LAYOUT.point.row._make(row) for row in LAYOUT.point.struct.iter_unpack(data)]


def attr(kind, payload):
    return struct.pack("=HH", 4 + len(payload), kind) + payload + b"\0" * (-len(payload) % 4)


def attrs(data):
    """Attributes of a message: {kind: payload}."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3fff] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


# body: the bytes behind the header.
Record = collections.namedtuple("Record", LAYOUT.record.row._fields + ("cpu", "body"))
Chunk = collections.namedtuple("Chunk", LAYOUT.chunk.row._fields + ("data",))
# buckets: {number of the bucket: how many}; key: of a row by key, else b""
Tally = collections.namedtuple("Tally", LAYOUT.tally.row._fields + ("key", "buckets"))


def records(data, cpu=None):
    """The records of GOPROBE_A_RECORDS."""
    layout, found = LAYOUT.record, []
    while data:
        header = layout.unpack(data)
        found.append(Record(*header, cpu, data[layout.size:header.words * 8]))
        data = data[header.words * 8:]
    return found


def chunks(record, frame):
    """The chunks that follow a record's frame of that many bytes."""
    layout, found = LAYOUT.chunk, []
    data = record.body[(frame + 7) & ~7:]
    while data:
        header = layout.unpack(data)
        found.append(Chunk(*header, data[layout.size:layout.size + header.size]))
        data = data[layout.size + ((header.size + 7) & ~7):]
    return found


def tallies(data, keyed=False):
    """The rows of GOPROBE_A_TALLIES, or of GOPROBE_A_KEY_STATS."""
    found = []
    while data:
        row, at = LAYOUT.tally.unpack(data), LAYOUT.tally.size
        if keyed:
            at = LAYOUT.key_stats.size + LAYOUT.key_stats.unpack(data).key_bytes
        numbers = struct.unpack_from("=%dQ" % row.nbuckets, data, at)
        found.append(Tally(*row, data[LAYOUT.key_stats.size:at], {row.first + i: n for i, n in enumerate(numbers) if n}))
        data = data[at + 8 * (row.nbuckets + row.nstates):]
    return found


def message(family, cmd, payload=b"", flags=0, seq=0, port=0, version=GOPROBE_GENL_VERSION):
    body = struct.pack("=BBH", cmd, version, 0) + payload
    return struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST | flags, seq, port) + body


class Client:
    """A netlink socket: and so, if it asks for one, a session."""

    def __init__(self, family="goprobe", port=0):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.bind((port, 0))
        self.sock.settimeout(600)   # a kernel that finds faults takes long
        self.session = None         # the descriptor that the session ends with
        self.seq = 0
        self.ready = 0              # how often records were ready while it waited for an answer
        self.claims = 0             # the port that messages say they are from
        self.names = False          # do messages name their receiver, as libnl's do?
        self.family = GENL_ID_CTRL
        answer = self.call(CTRL_CMD_GETFAMILY, [(CTRL_ATTR_FAMILY_NAME, family.encode() + b"\0")])
        self.family = struct.unpack("=H", answer[0][CTRL_ATTR_FAMILY_ID])[0]

    def close(self):
        self.sock.close()
        session, self.session = self.session, None
        if session is not None:
            os.close(session)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def call(self, cmd, payload=(), dump=False, version=GOPROBE_GENL_VERSION):
        """Send a command; its answers, each as {kind: payload}. payload is a list
        of (kind, bytes), or bytes to be sent as they are."""
        if not isinstance(payload, bytes):
            payload = b"".join(attr(k, p) for k, p in payload)
        self.seq += 1
        request = message(self.family, cmd, payload, NLM_F_DUMP if dump else NLM_F_ACK, self.seq, self.claims, version)
        if self.names:
            self.sock.sendto(request, (0, 0))
        else:
            self.sock.send(request)
        answers = []
        while True:
            data = self.sock.recv(1 << 20)
            while len(data) >= 16:
                size, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
                answer, data = data[16:size], data[(size + 3) & ~3:]
                if seq != self.seq:
                    self.ready += not seq
                    continue        # "records are ready" has no sequence number
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    errno = -struct.unpack_from("=i", answer)[0] if len(answer) >= 4 else 0
                    if not errno:
                        return answers
                    tlvs = b""
                    if flags & NLM_F_ACK_TLVS:
                        tlvs = answer[4 + 16:] if kind == NLMSG_ERROR else answer[4:]
                    raise Refused(errno, attrs(tlvs).get(NLMSGERR_ATTR_MSG, b"").rstrip(b"\0").decode())
                answers.append(attrs(answer[4:]))

    def limits(self):
        answer = self.call(GOPROBE_CMD_GET_INFO)[0]
        return LAYOUT.limits.unpack(answer[GOPROBE_A_LIMITS])._asdict()

    def new_session(self, *pids, calls=None, held=None, keys=None, ring=None, breaker=None, members=None, flags=None, fd=True):
        """With fd, close() waits for its end."""
        extra = [(GOPROBE_A_PIDS, struct.pack("=%di" % len(pids), *pids))] if pids else []
        if calls is not None:
            extra.append((GOPROBE_A_CALL_LIMIT, u32(calls)))
        if ring is not None:
            extra.append((GOPROBE_A_RING_BYTES, u32(ring)))
        if members is not None:
            extra.append((GOPROBE_A_GOROUTINE_SET_LIMIT, u32(members)))
        extra.append((GOPROBE_A_FLAGS, u32((flags or 0) | (GOPROBE_SESSION_F_FD if fd else 0))))
        if breaker is not None:
            extra.append((GOPROBE_A_BREAKER, packer("breaker", "hit_ns percent")(*breaker)))
        if keys is not None:
            extra.append((GOPROBE_A_KEY_LIMIT, packer("key_limit", "number bytes")(*keys)))
        if held is not None:
            extra.append((GOPROBE_A_PENDING_LIMIT, packer("pending_limit", "calls bytes")(*held)))
        answer = self.call(GOPROBE_CMD_SESSION_NEW, extra)[0]
        if GOPROBE_A_FD in answer:
            self.session = number(answer[GOPROBE_A_FD])
        return answer

    def add_file(self, path, rt=None):
        fd = os.open(path, os.O_RDONLY)
        try:
            answer = self.call(GOPROBE_CMD_FILE_ADD, [(GOPROBE_A_FD, u32(fd)), (GOPROBE_A_RUNTIME, rt or runtime())])
        finally:
            os.close(fd)
        return number(answer[0][GOPROBE_A_FILE])

    def add_types(self, types, refs=()):
        return self.call(GOPROBE_CMD_TYPES_ADD, [(GOPROBE_A_TYPES, b"".join(types)), (GOPROBE_A_REFS, b"".join(refs))])

    def add_dynamic(self, types, file=0):
        """How many addresses of the file are known."""
        answer = self.call(GOPROBE_CMD_DYNAMIC_ADD, [(GOPROBE_A_FILE, u32(file)), (GOPROBE_A_DYNAMIC, b"".join(types))])
        return number(answer[0][GOPROBE_A_COUNT])

    def add_plans(self, plans, pieces=(), ops=()):
        return self.call(GOPROBE_CMD_PLANS_ADD, [(GOPROBE_A_PLANS, b"".join(plans)), (GOPROBE_A_PIECES, b"".join(pieces)),
                                                 (GOPROBE_A_OPS, b"".join(ops))])

    def add_filters(self, *programs):
        """Each a list of ops; the id of the first one."""
        ops, filters = [], []
        for program in programs:
            filters.append(LAYOUT.filter.pack(op=len(ops), nops=len(program)))
            ops.extend(program)
        answer = self.call(GOPROBE_CMD_FILTERS_ADD, [(GOPROBE_A_FILTERS, b"".join(filters)), (GOPROBE_A_OPS, b"".join(ops))])
        return number(answer[0][GOPROBE_A_FIRST])

    def add_points(self, points, file=0):
        return self.call(GOPROBE_CMD_POINTS_ADD, [(GOPROBE_A_FILE, u32(file)), (GOPROBE_A_POINTS, b"".join(points))])

    def del_points(self, *ids):
        """How many points are left."""
        answer = self.call(GOPROBE_CMD_POINTS_DEL, [(GOPROBE_A_IDS, b"".join(map(u32, ids)))])
        return number(answer[0][GOPROBE_A_COUNT])

    def records(self):
        """Drain the rings."""
        return [record for message in self.call(GOPROBE_CMD_READ, dump=True)
                for record in records(message.get(GOPROBE_A_RECORDS, b""), number(message.get(GOPROBE_A_CPU, u32(0))))]

    def stats(self):
        data = self.call(GOPROBE_CMD_GET_STATS)[0][GOPROBE_A_STATS]
        return struct.unpack("=%dQ" % (len(data) // 8), data)

    def tallies(self):
        """Counts and times: {id: Tally}."""
        return {row.id: row for message in self.call(GOPROBE_CMD_TALLIES, dump=True)
                for row in tallies(message[GOPROBE_A_TALLIES])}

    def keys(self):
        """Counts and times by key: {(id, key, as bytes): Tally}."""
        return {(row.id, row.key): row for message in self.call(GOPROBE_CMD_KEYS, dump=True)
                for row in tallies(message[GOPROBE_A_KEY_STATS], keyed=True)}

    def open_calls(self):
        """Calls that have not ended: [(call, held record or None)]."""
        layout, found = LAYOUT.open_call, []
        for message in self.call(GOPROBE_CMD_OPEN_CALLS, dump=True):
            data = message[GOPROBE_A_OPEN_CALLS]
            while data:
                call = layout.unpack(data)
                end = layout.size + call.record_bytes
                found.append((call, records(data[layout.size:end])[0] if call.record_bytes else None))
                data = data[end:]
        return found

    def sessions(self):
        """The sessions of all users on this host, with their points."""
        return self.call(GOPROBE_CMD_LIST, dump=True)


def elf_code(path, want=None):
    """(file offset, bytes) of the executable segment of a 64-bit ELF file."""
    with open(path, "rb") as f:
        data = f.read()
    phoff, = struct.unpack_from("=Q", data, 32)
    phentsize, phnum = struct.unpack_from("=HH", data, 54)
    for i in range(phnum):
        kind, flags, offset, _, _, filesz = struct.unpack_from("=IIQQQQ", data, phoff + i * phentsize)
        if kind == 1 and bool(flags & 1) == (want != "rodata") and not flags & 2:
            return offset, data[offset:offset + filesz]
    raise LookupError("no such segment")


def elf_symbol(path, name):
    """(file offset, size) of a function, from the symbol table."""
    offset, size, _ = elf_place(path, name)
    return offset, size


def elf_place(path, name):
    """(file offset, size, link-time address) of a symbol."""
    with open(path, "rb") as f:
        data = f.read()
    shoff, = struct.unpack_from("=Q", data, 40)
    shentsize, shnum = struct.unpack_from("=HH", data, 58)
    sections = [struct.unpack_from("=IIQQQQIIQQ", data, shoff + i * shentsize) for i in range(shnum)]
    for s in sections:
        if s[1] != 2:  # SHT_SYMTAB
            continue
        strings = sections[s[6]][4]
        for at in range(s[4], s[4] + s[5], 24):
            st_name, _, _, shndx, value, size = struct.unpack_from("=IBBHQQ", data, at)
            begin = strings + st_name
            if shndx and data[begin:data.index(b"\0", begin)] == name.encode():
                section = sections[shndx]
                return value - section[3] + section[4], size, value
    raise LookupError(name)
