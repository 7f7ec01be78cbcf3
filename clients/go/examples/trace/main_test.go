// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatWasSeenIsPrinted, though the recording turns out to be damaged.
func TestWhatWasSeenIsPrinted(t *testing.T) {
	const plan = `{"format":"goprobe plan","version":1,` +
		`"sizes":{"type":12,"ref":20,"plan":40,"piece":24,"op":32,"filter":8,"point":48,"dynamic":16}}`
	b := []byte("goprobe\n\x04\x03\x02\x01\x03\x00\x00\x00")
	put := func(kind, size uint32, body []byte) {
		for _, v := range []uint32{kind, size, 0, 0} {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		b = append(b, body...)
	}
	// Two records are lost at 7 ns; a pass until 8 ns; an entry that is too large.
	lost := make([]byte, 64)
	lost[0], lost[2], lost[24], lost[56] = 8, 4, 7, 2
	put(4, 64, lost)
	put(5, 16, []byte{8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0})
	put(4, 1<<30, nil)
	dir := t.TempDir()
	planPath, path := filepath.Join(dir, "plan"), filepath.Join(dir, "recording")
	for name, data := range map[string][]byte{planPath: []byte(plan), path: b} {
		if err := os.WriteFile(name, data, 0600); err != nil {
			t.Fatal(err)
		}
	}
	var printed bytes.Buffer
	out = bufio.NewWriter(&printed)
	err := replay(planPath, path)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("it said: %v", err)
	}
	const want = `{"kind":"lost","cpu":0,"cause":"unknown","count":2,"time_ns":7}` + "\n"
	if printed.String() != want {
		t.Errorf("got %q, not %q", printed.String(), want)
	}
}
