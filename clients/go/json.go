// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// goprobectl prints JSON without blanks between tokens. It is taken apart here, not by encoding/json: that
// takes several times as long, and replaces the \udcXX that stand for bytes which are not UTF-8.

// stringEnd is the index behind the string that begins at b[i].
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		escapes := 0
		for b[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
	return len(b)
}

// valueEnd is the index behind the value that begins at b[i].
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return len(b)
}

// items are the members of an object or the elements of an array, one after another.
type items struct {
	b []byte
	i int
}

func itemsOf(b []byte) items {
	if len(b) < 2 || b[0] != '{' && b[0] != '[' {
		return items{}
	}
	return items{b[:len(b)-1], 1}
}

// next is the next element of an array.
func (s *items) next() (value []byte, ok bool) {
	if s.i >= len(s.b) {
		return nil, false
	}
	end := valueEnd(s.b, s.i)
	if end == s.i {
		return nil, false
	}
	value = s.b[s.i:end:end]
	s.i = end + 1
	return value, true
}

// member is the next member of an object; its key without quotes.
func (s *items) member() (key, value []byte, ok bool) {
	if s.i >= len(s.b) || s.b[s.i] != '"' {
		return nil, nil, false
	}
	end := stringEnd(s.b, s.i)
	if end+1 >= len(s.b) || s.b[end] != ':' {
		return nil, nil, false
	}
	key = s.b[s.i+1 : end-1]
	s.i = end + 1
	value, ok = s.next()
	return key, value, ok
}

// member returns a member of an object, or nil.
func member(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	s := itemsOf(object)
	for key, value, ok := s.member(); ok; key, value, ok = s.member() {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// unquote gives the bytes that a string stands for; nil: it is no string.
func unquote(b []byte) []byte {
	if len(b) < 2 || b[0] != '"' {
		return nil
	}
	b = b[1 : len(b)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return b[:len(b):len(b)]
	}
	ret := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 == len(b) {
			ret = append(ret, b[i])
			continue
		}
		i++
		switch b[i] {
		case 'b':
			ret = append(ret, '\b')
		case 'f':
			ret = append(ret, '\f')
		case 'n':
			ret = append(ret, '\n')
		case 'r':
			ret = append(ret, '\r')
		case 't':
			ret = append(ret, '\t')
		case 'u':
			if i+5 > len(b) {
				return ret
			}
			n, _ := strconv.ParseUint(string(b[i+1:i+5]), 16, 16)
			i += 4
			if n>>8 == 0xdc {
				ret = append(ret, byte(n))
			} else {
				ret = utf8.AppendRune(ret, rune(n))
			}
		default:
			ret = append(ret, b[i])
		}
	}
	return ret
}

// number is an integer, as a number or as "0x1f".
func number(b []byte) uint64 {
	if len(b) > 4 && string(b[:3]) == `"0x` {
		n, _ := strconv.ParseUint(string(b[3:len(b)-1]), 16, 64)
		return n
	}
	if n, err := strconv.ParseUint(string(b), 10, 64); err == nil {
		return n
	}
	n, _ := strconv.ParseInt(string(b), 10, 64)
	return uint64(n)
}
