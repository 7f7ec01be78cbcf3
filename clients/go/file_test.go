// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"debug/gosym"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// within fails if it takes long.
func within(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s waits for ever", what)
	}
}

// made is a program of a segment and of sections: .text, .gopclntab, the names, and more. A sparse file has
// what the data lacks of the size.
type made struct {
	flags, namesFlags elf.SectionFlag
	size, namesSize   uint64
	data, names       []byte
	more              int // sections
}

const (
	madeHead  = elfHeaderBytes + segmentHeaderBytes
	madeNames = "\x00.text\x00.gopclntab\x00"
)

func (m made) write(t *testing.T) string {
	t.Helper()
	sections := 4 + m.more
	b := make([]byte, elfHeaderBytes)
	copy(b, elf.ELFMAG+"\x02\x01\x01")
	order.PutUint16(b[16:], uint16(elf.ET_EXEC))
	order.PutUint16(b[18:], uint16(elf.EM_X86_64))
	order.PutUint32(b[20:], 1)
	order.PutUint64(b[32:], elfHeaderBytes)
	order.PutUint64(b[40:], madeHead)
	for at, v := range map[int]int{52: elfHeaderBytes, 54: segmentHeaderBytes, 56: 1, 58: sectionHeaderBytes, 60: sections, 62: 3} {
		order.PutUint16(b[at:], uint16(v))
	}
	b = append(append(b, words(uint32(elf.PT_LOAD), uint32(elf.PF_R|elf.PF_X))...), quads(0, 0x1000, 0x1000, 0x1000, 0x1000, 1)...)
	section := func(name uint32, typ elf.SectionType, flags elf.SectionFlag, at, size uint64) {
		b = append(append(b, words(name, uint32(typ))...), quads(uint64(flags), 0, at, size, 0, 1, 0)...)
	}
	table := madeHead + uint64(sections)*sectionHeaderBytes
	names := table + uint64(len(m.data))
	if m.namesSize == 0 {
		m.namesSize = uint64(len(m.names))
	}
	section(0, 0, 0, 0, 0)
	section(1, elf.SHT_PROGBITS, 0, table, 0)
	section(7, elf.SHT_PROGBITS, m.flags, table, m.size)
	section(0, elf.SHT_STRTAB, m.namesFlags, names, m.namesSize)
	for i := range m.more {
		section(uint32(len(madeNames)+i), elf.SHT_PROGBITS, 0, table, 0)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, append(append(b, m.data...), m.names...), 0600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(max(table+m.size, names+m.namesSize))); err != nil {
		t.Fatal(err)
	}
	return path
}

// taken is how much memory was allocated.
func taken(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestLineTablesAreBounded: a file takes no room for zeros, and little for what is compressed.
func TestLineTablesAreBounded(t *testing.T) {
	var zeros, names bytes.Buffer
	for _, c := range []struct {
		b    *bytes.Buffer
		head string
	}{{&zeros, ""}, {&names, madeNames}} {
		z := zlib.NewWriter(c.b)
		if _, err := z.Write([]byte(c.head)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(z, zero{}, tableMost/4); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
	}
	plain := []byte(madeNames)
	packed := func(size uint64, b *bytes.Buffer) []byte {
		return append(quads(uint64(elf.COMPRESS_ZLIB), size, 1), b.Bytes()...)
	}
	functions := madeTable(0xfffffff1, 0, strings.Repeat("a", 1<<13)+"\x00", 1<<13)
	table, packedNames := packed(1<<40, &zeros), packed(tableMost/4+uint64(len(madeNames)), &names)
	for what, m := range map[string]made{
		"sparse":           {size: tableMost + 1, names: plain},
		"compressed":       {flags: elf.SHF_COMPRESSED, size: uint64(len(table)), data: table, names: plain},
		"sparse names":     {namesSize: tableMost / 4, names: plain},
		"compressed names": {namesFlags: elf.SHF_COMPRESSED, names: packedNames},
		"functions' names": {size: uint64(len(functions)), data: functions, names: plain},
		"names in names":   {names: append(append(plain, bytes.Repeat([]byte("a"), 1<<16)...), 0), more: 1 << 10},
	} {
		path := m.write(t)
		if e, err := elf.Open(path); err != nil || e.Section(".gopclntab") == nil || e.Section(".text") == nil {
			t.Fatalf("%s: this is no test: %v", what, err)
		}
		if n := taken(func() {
			if name := (&lineTable{path: path}).name(1 << 40); name != "" {
				t.Errorf("%s: a function %q", what, name)
			}
		}); n > 1<<20 {
			t.Errorf("%s: %d bytes were taken", what, n)
		}
		l := &lineTable{}
		if n := taken(func() {
			f, err := openRegular(path)
			if err != nil {
				t.Fatal(err)
			}
			l.keep(f)
		}); n > 1<<20 {
			t.Errorf("%s: %d bytes were taken to open it", what, n)
		}
		l.file.Close()
		// All else is known.
		if !slices.Equal(l.segments, []segment{{0x1000, 0x2000, true}}) {
			t.Errorf("%s: segments are %v", what, l.segments)
		}
	}
}

// TestHeadersAreNotTrusted: whatever they say of their numbers and places, nothing is read for long.
func TestHeadersAreNotTrusted(t *testing.T) {
	path := made{names: []byte(madeNames)}.write(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const first, names = madeHead, madeHead + 3*sectionHeaderBytes
	all, none := ^uint64(0), []byte{0, 0}
	for what, c := range map[string]struct {
		edits              map[int][]byte
		segments, sections int // that are found
	}{
		"nothing":                        {nil, 1, 2},
		"another machine":                {map[int][]byte{18: {3, 0}}, 0, 0},
		"another class":                  {map[int][]byte{4: {1}}, 0, 0},
		"no segments":                    {map[int][]byte{56: none}, 0, 2},
		"more segments than are run":     {map[int][]byte{56: {0xfe, 0xff}}, 0, 2},
		"segments behind the end":        {map[int][]byte{32: quads(1 << 40)}, 0, 2},
		"segments before the beginning":  {map[int][]byte{32: quads(all)}, 0, 2},
		"segments of another size":       {map[int][]byte{54: {32, 0}}, 0, 2},
		"a segment that is too large":    {map[int][]byte{elfHeaderBytes + 32: quads(all)}, 0, 2},
		"no sections":                    {map[int][]byte{40: quads(0)}, 1, 0},
		"sections behind the end":        {map[int][]byte{40: quads(1 << 40)}, 1, 0},
		"sections before the beginning":  {map[int][]byte{40: quads(all)}, 1, 0},
		"sections of another size":       {map[int][]byte{58: {40, 0}}, 1, 0},
		"their number elsewhere":         {map[int][]byte{60: none, first + 32: quads(4)}, 1, 2},
		"too many sections":              {map[int][]byte{60: none, first + 32: quads(all)}, 1, 0},
		"their names elsewhere":          {map[int][]byte{62: {0xff, 0xff}, first + 40: words(3)}, 1, 2},
		"no names":                       {map[int][]byte{62: {4, 0}}, 1, 0},
		"names that are not in the file": {map[int][]byte{names + 4: words(uint32(elf.SHT_NOBITS))}, 1, 0},
		"names behind the end":           {map[int][]byte{names + 24: quads(1 << 40)}, 1, 0},
		"names before the beginning":     {map[int][]byte{names + 24: quads(all - 64)}, 1, 0},
		"a name that is cut":             {map[int][]byte{names + 32: quads(uint64(len(madeNames)) - 1)}, 1, 1},
		"names of all that is":           {map[int][]byte{names + 32: quads(all)}, 1, 2},
	} {
		b := bytes.Clone(whole)
		for at, with := range c.edits {
			copy(b[at:], with)
		}
		found := sections(bytes.NewReader(b), ".text", ".gopclntab")
		if n := len(segments(bytes.NewReader(b))); n != c.segments || len(found) != c.sections {
			t.Errorf("%s: %d segments, sections %v", what, n, found)
		}
	}
	for n := range whole {
		b := bytes.NewReader(whole[:n])
		segments(b)
		sections(b, ".text", ".gopclntab")
	}
}

// madeTable is a line table of functions at text, text+1 and so on, whose names lie one within the other;
// as it is since Go 1.16 (version 0xfffffffa), or before or after.
func madeTable(version uint32, text uint64, names string, functions int) []byte {
	b := words(version, 8<<24|1<<16)
	var rows, funcs []byte
	word := func(v uint64) []byte {
		if version <= 0xfffffff1 {
			return words(uint32(v))
		}
		return quads(v)
	}
	count := uint64(functions)
	header, from := uint64(64), text
	switch version {
	case 0xfffffffb:
		header = 16
	case 0xfffffff0, 0xfffffff1:
		header, from = 72, 0
	}
	named, size := header, uint64(2*len(word(0)))
	at := (header + uint64(len(names)) + 7) &^ 7 // of rows, or of what they lead to
	first := (count + 1) * size                  // of the functions, from at
	switch version {
	case 0xfffffffb: // the rows come first, and all is counted from the beginning
		at, first = 16, 16+(count+1)*size
		named = first + count*(size/2+4) + 64
		b = append(b, quads(count)...)
	case 0xfffffffa:
		b = append(b, quads(count, 0, named, at, at, at, at)...)
	default:
		b = append(b, quads(count, 0, text, named, at, at, at, at)...)
	}
	for i := range count {
		rows = append(append(rows, word(from+i)...), word(first+i*(size/2+4))...)
		name := uint32(i % uint64(len(names)))
		if version == 0xfffffffb {
			name += uint32(named)
		}
		funcs = append(append(funcs, word(from+i)...), words(name)...)
	}
	rows = append(rows, word(from+count)...)
	// What debug/gosym looks at, too: the rest of the last function, and where files are.
	funcs = append(funcs, make([]byte, 64)...)
	if version == 0xfffffffb {
		rows = append(rows, quads(first+count*(size/2+4))...)
		return append(append(append(b, rows...), funcs...), names...)
	}
	rows = append(rows, word(0)...)
	b = append(b, names...)
	return append(append(append(b, make([]byte, at-uint64(len(b)))...), rows...), funcs...)
}

// TestFunctionTablesAreBounded: what a table says of its functions takes no memory, and no more names
// are copied than are asked for.
func TestFunctionTablesAreBounded(t *testing.T) {
	long := strings.Repeat("a", 1<<12) + "\x00"
	for what, version := range map[string]uint32{"1.2": 0xfffffffb, "1.16": 0xfffffffa, "1.18": 0xfffffff0, "1.20": 0xfffffff1} {
		b := madeTable(version, 0x1000, long, len(long)*4)
		if table, err := gosym.NewTable(nil, gosym.NewLineTable(b, 0x1000)); err != nil || len(table.Funcs) != len(long)*4 ||
			table.Funcs[4090].Name != "aaaaaa" || table.Funcs[4090].Entry != 0x1000+4090 {
			t.Fatalf("%s: this is no test: %v", what, err)
		}
		if n := taken(func() {
			table := newFuncTable(b, 0x1000)
			for entry, want := range map[uint64]string{
				0x1000: long[:1<<12], 0x1000 + 4090: "aaaaaa", 0x1000 + 4096: "", 0xfff: "", 0x1000 + uint64(len(long))*4: "", ^uint64(0): "",
			} {
				if got := table.name(entry); got != want {
					t.Errorf("%s: at %#x is %.20q, not %.20q", what, entry, got, want)
				}
			}
		}); n > 1<<16 {
			t.Errorf("%s: %d bytes were taken", what, n)
		}
		longer := newFuncTable(madeTable(version, 0x1000, strings.Repeat("a", funcNameMost+1)+"\x00", 2), 0x1000)
		if longer.name(0x1000) != "" || longer.name(0x1001) == "" {
			t.Errorf("%s: names are %.20q, %.20q", what, longer.name(0x1000), longer.name(0x1001))
		}
		small := madeTable(version, 0x1000, "f\x00", 2)
		for n := range small {
			if table := newFuncTable(small[:n:n], 0x1000); table != nil {
				table.name(0x1000)
				table.name(0x1001)
			}
		}
		random := rand.New(rand.NewSource(1))
		for range 100000 {
			b := bytes.Clone(small)
			for range 1 + random.Intn(3) {
				b[random.Intn(len(b))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(random.Intn(256))}[random.Intn(6)]
			}
			if table := newFuncTable(b, 0x1000); table != nil {
				table.name(0x1000)
				table.name(0x1001)
			}
		}
	}
}

// TestFunctionsHaveNames: what a file's line table says, for all its functions.
func TestFunctionsHaveNames(t *testing.T) {
	own := &lineTable{path: "/proc/self/exe"}
	for _, fn := range []any{TestFunctionsHaveNames, within, io.Copy, os.Open} {
		f := runtime.FuncForPC(reflect.ValueOf(fn).Pointer())
		if name := own.name(uint64(f.Entry())); name != f.Name() {
			t.Errorf("%s is called %q", f.Name(), name)
		}
		if name := own.name(uint64(f.Entry()) + 1); name != "" {
			t.Errorf("within %s is %q", f.Name(), name)
		}
	}
	for _, address := range []uint64{0, 1, 1 << 40, ^uint64(0)} {
		if name := own.name(address); name != "" {
			t.Errorf("at %#x is %q", address, name)
		}
	}
}

type zero struct{}

func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestOnlyRegularFilesAreOpened: what stands at a path may have become a FIFO, which would wait for a
// writer.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	fifo, file, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := unix.Mkfifo(fifo, 0600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("some"), 0600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		fifo:        "can't open the program of the plan: " + fifo + " is not a regular file",
		dir:         "can't open the program of the plan: " + dir + " is not a regular file",
		"/dev/null": "can't open the program of the plan: /dev/null is not a regular file",
		// What the kernel makes up: to read it may do something, too.
		"/proc/self/status": "can't open the program of the plan: /proc/self/status is not a regular file",
		"/sys/kernel/notes": "can't open the program of the plan: /sys/kernel/notes is not a regular file",
		"/proc/self/ns/mnt": "can't open the program of the plan: /proc/self/ns/mnt is not a regular file",
		file + "s":          "can't open the program of the plan: open " + file + "s: no such file or directory",
		file:                "",
		link:                "",
	} {
		within(t, path, func() {
			f, err := (&planFile{Path: path}).open(nil)
			if want != "" {
				if err == nil || err.Error() != want {
					t.Errorf("%s: %v", path, err)
				}
				return
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
			}
			if text, err := io.ReadAll(f); string(text) != "some" {
				t.Errorf("%s: %q, %v", path, text, err)
			}
			f.Close()
		})
	}
	within(t, "a file that somebody has a lease of", func() {
		f, err := os.OpenFile(file, os.O_RDWR, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
			t.Log("no leases here:", err)
		} else if f, err := openRegular(file); !errors.Is(err, unix.EAGAIN) {
			t.Errorf("it is opened: %v, %v", f, err)
		}
	})
	within(t, "a line table", func() {
		if name := (&lineTable{path: fifo}).name(1); name != "" {
			t.Errorf("a FIFO has a function %q", name)
		}
	})
}
