// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// TestLineTablesAreBounded: a file takes no room for zeros, and little for what is compressed.
func TestLineTablesAreBounded(t *testing.T) {
	var zeros bytes.Buffer
	z := zlib.NewWriter(&zeros)
	if _, err := io.CopyN(z, zero{}, tableMost/4); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		flags elf.SectionFlag
		size  uint64
		data  []byte
	}{
		"sparse":     {0, tableMost + 1, nil},
		"compressed": {elf.SHF_COMPRESSED, 24 + uint64(zeros.Len()), append(quads(uint64(elf.COMPRESS_ZLIB), 1<<40, 1), zeros.Bytes()...)},
	} {
		const names = "\x00.text\x00.gopclntab\x00"
		head, begin := make([]byte, 64), uint64(64+4*64+len(names))
		copy(head, elf.ELFMAG+"\x02\x01\x01")
		order.PutUint16(head[16:], uint16(elf.ET_EXEC))
		order.PutUint16(head[18:], uint16(elf.EM_X86_64))
		order.PutUint32(head[20:], 1)
		order.PutUint64(head[40:], 64)
		for at, v := range map[int]uint16{52: 64, 54: 56, 58: 64, 60: 4, 62: 3} {
			order.PutUint16(head[at:], v)
		}
		section := func(name, typ uint32, flags elf.SectionFlag, at, size uint64) {
			head = append(append(head, words(name, typ)...), quads(uint64(flags), 0, at, size, 0, 1, 0)...)
		}
		section(0, 0, 0, 0, 0)
		section(1, uint32(elf.SHT_PROGBITS), 0, begin, 0)
		section(7, uint32(elf.SHT_PROGBITS), c.flags, begin, c.size)
		section(0, uint32(elf.SHT_STRTAB), 0, 64+4*64, uint64(len(names)))
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, append(append(head, names...), c.data...), 0600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(begin+c.size)); err != nil {
			t.Fatal(err)
		}
		if e, err := elf.Open(path); err != nil || e.Section(".gopclntab") == nil || e.Section(".text") == nil {
			t.Fatalf("%s: this is no test: %v", what, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if name := (&lineTable{path: path}).name(1); name != "" {
			t.Errorf("%s: a function %q", what, name)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes were taken", what, n)
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
		file + "s":  "can't open the program of the plan: open " + file + "s: no such file or directory",
		file:        "",
		link:        "",
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
	within(t, "a line table", func() {
		if name := (&lineTable{path: fifo}).name(1); name != "" {
			t.Errorf("a FIFO has a function %q", name)
		}
	})
}
