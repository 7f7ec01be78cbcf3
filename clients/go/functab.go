// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"sort"
)

// As goprobectl: a longer name is none.
const funcNameMost = 65535

// funcTable names functions by their entries, out of the line table of a program's file. debug/gosym makes
// several hundred bytes of each function, and copies all names, before it tells the first: a table
// that is made for it takes gigabytes.
type funcTable struct {
	n                int
	rows, funcs, all []byte
	names            uint64
	text             uint64 // what entries are counted from
	word             int    // how large they are
}

// newFuncTable is of a table in one of the formats since Go 1.2, or nil; text is where the code begins.
func newFuncTable(b []byte, text uint64) *funcTable {
	const header = 8 + 8*8 // what a program of any use has
	if len(b) < header || u32At(b, 4) != 8<<24|1<<16 {
		return nil
	}
	t := &funcTable{all: b, word: 8}
	n, rows, funcs := u64At(b, 8), uint64(16), uint64(0)
	switch u32At(b, 0) {
	case 0xfffffffb:
	case 0xfffffffa: // since Go 1.16
		t.names, funcs = u64At(b, 24), u64At(b, 56)
		rows = funcs
	case 0xfffffff0, 0xfffffff1: // since Go 1.18, and 1.20
		t.names, funcs = u64At(b, 32), u64At(b, 64)
		rows = funcs
		t.text, t.word = text, 4
	default:
		return nil
	}
	size := uint64(len(b))
	if t.names > size || funcs > size || rows > size || n > (size-rows)/uint64(2*t.word) {
		return nil
	}
	t.n, t.rows, t.funcs = int(n), b[rows:], b[funcs:]
	return t
}

func (t *funcTable) at(word int) uint64 {
	if t.word == 4 {
		return uint64(u32At(t.rows, 4*word))
	}
	return u64At(t.rows, 8*word)
}

// name is that of the function that begins there, or "".
func (t *funcTable) name(entry uint64) string {
	i := sort.Search(t.n, func(i int) bool { return t.text+t.at(2*i) >= entry })
	if i == t.n || t.text+t.at(2*i) != entry {
		return ""
	}
	// Of what is behind the entry the name is first.
	f, size := t.at(2*i+1), uint64(len(t.funcs))
	if f > size || size-f < uint64(t.word)+4 {
		return ""
	}
	begin := t.names + uint64(u32At(t.funcs[f:], t.word))
	if begin >= uint64(len(t.all)) {
		return ""
	}
	name := t.all[begin:min(begin+funcNameMost+1, uint64(len(t.all)))]
	return string(name[:max(0, bytes.IndexByte(name, 0))])
}
