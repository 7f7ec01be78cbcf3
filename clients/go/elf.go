// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"debug/elf"
	"io"
)

// What is looked at of a program's file is read by hand: debug/elf reads, and inflates, all section
// names, copies a name for each section, and refuses files that goprobectl takes. A traced program's file
// can be made for that, and takes no room for zeros.

const (
	elfHeaderBytes     = 64
	segmentHeaderBytes = 56
	sectionHeaderBytes = 64
	// The kernel runs nothing with more.
	segmentsMost = 1 << 16 / segmentHeaderBytes
	// As goprobectl.
	sectionsMost = 1 << 16
	// The longest name of a section that is looked for.
	sectionNameMost = 32
)

// segment is what a program's file has in memory, by link-time addresses.
type segment struct {
	from, to uint64
	code     bool
}

// section is a part of a file that has a name.
type section struct {
	name, typ, link          uint32
	flags, address, at, size uint64
}

// elfHeader is that of a program that goprobectl makes plans of.
func elfHeader(r io.ReaderAt) ([]byte, bool) {
	b := make([]byte, elfHeaderBytes)
	if n, _ := r.ReadAt(b, 0); n < len(b) {
		return nil, false
	}
	return b, string(b[:6]) == elf.ELFMAG+"\x02\x01" && elf.Machine(u16At(b, 18)) == elf.EM_X86_64
}

// segments are those of the file; nil: not known.
func segments(r io.ReaderAt) (ret []segment) {
	head, ok := elfHeader(r)
	if !ok {
		return nil
	}
	n := int(u16At(head, 56))
	if u16At(head, 54) != segmentHeaderBytes || n > segmentsMost {
		return nil
	}
	b := make([]byte, n*segmentHeaderBytes)
	if got, _ := r.ReadAt(b, int64(u64At(head, 32))); got < len(b) {
		return nil
	}
	for ; len(b) > 0; b = b[segmentHeaderBytes:] {
		address, size := u64At(b, 16), u64At(b, 32)
		if elf.ProgType(u32At(b, 0)) == elf.PT_LOAD && size <= ^uint64(0)-address {
			ret = append(ret, segment{address, address + size, elf.ProgFlag(u32At(b, 4))&elf.PF_X != 0})
		}
	}
	return ret
}

// sections are the first of each name in the file.
func sections(r io.ReaderAt, names ...string) map[string]section {
	head, ok := elfHeader(r)
	if !ok {
		return nil
	}
	at, n, named := u64At(head, 40), uint64(u16At(head, 60)), uint64(u16At(head, 62))
	if at == 0 || u16At(head, 58) != sectionHeaderBytes {
		return nil
	}
	b, text := make([]byte, sectionHeaderBytes), make([]byte, sectionNameMost)
	header := func(i uint64) (s section, ok bool) {
		if got, _ := r.ReadAt(b, int64(at+i*sectionHeaderBytes)); got < len(b) {
			return s, false
		}
		return section{u32At(b, 0), u32At(b, 4), u32At(b, 40), u64At(b, 8), u64At(b, 16), u64At(b, 24), u64At(b, 32)}, true
	}
	// Where there are too many for the file's header, the first section's has their numbers.
	first, ok := header(0)
	if n == 0 {
		n = first.size
	}
	if named == uint64(elf.SHN_XINDEX) {
		named = uint64(first.link)
	}
	if !ok || n > sectionsMost || named >= n {
		return nil
	}
	table, ok := header(named)
	if !ok || elf.SectionType(table.typ) == elf.SHT_NOBITS {
		return nil
	}
	found := make(map[string]section)
	for i := uint64(1); i < n; i++ {
		s, ok := header(i)
		if !ok {
			return nil
		}
		if uint64(s.name) >= table.size {
			continue
		}
		got, _ := r.ReadAt(text[:min(sectionNameMost, table.size-uint64(s.name))], int64(table.at+uint64(s.name)))
		for _, name := range names {
			if _, had := found[name]; !had && got > len(name) && string(text[:len(name)]) == name && text[len(name)] == 0 {
				found[name] = s
			}
		}
	}
	return found
}

// data is what the section has, if the file has all that and it is not too much.
func (s *section) data(r io.ReaderAt, most uint64) []byte {
	if elf.SectionType(s.typ) == elf.SHT_NOBITS || elf.SectionFlag(s.flags)&elf.SHF_COMPRESSED != 0 || s.size == 0 || s.size > most {
		return nil
	}
	// Is it that long?
	end := make([]byte, 1)
	if n, _ := r.ReadAt(end, int64(s.at+s.size-1)); n == 0 {
		return nil
	}
	b := make([]byte, s.size)
	if n, _ := r.ReadAt(b, int64(s.at)); n < len(b) {
		return nil
	}
	return b
}
