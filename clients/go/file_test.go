// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"io"
	"os"
	"path/filepath"
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
