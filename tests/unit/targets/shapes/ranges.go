// SPDX-License-Identifier: GPL-2.0

//go:build go1.23
// +build go1.23

package main

import "errors"

func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

//go:noinline
func called(n int) func(func(int) bool) { return upTo(n) }

var errNone = errors.New("none")

//go:noinline
func RangeNamed(n, want int) (at int, err error) {
	for i := range called(n) {
		if i == want {
			return i, nil
		}
	}
	return -1, errNone
}

//go:noinline
func RangeInlined(n, want int) (at int, err error) {
	for i := range upTo(n) {
		if i == want {
			return i, nil
		}
	}
	return -1, errNone
}

//go:noinline
func RangeOnly(n int) (sum int, err error) {
	for i := range called(n) {
		sum += i
	}
	return
}

// Debug information has no blank results of these, and none without a name.

//go:noinline
func RangeBlank(n, want int) (_ error, at int) {
	for i := range called(n) {
		if i == want {
			return nil, i
		}
	}
	return errNone, -1
}

//go:noinline
func RangeBlankInlined(n, want int) (_ error, at int) {
	for i := range upTo(n) {
		if i == want {
			return nil, i
		}
	}
	return errNone, -1
}

//go:noinline
func RangeUnnamed(n, want int) (int, error) {
	for i := range called(n) {
		if i == want {
			return i, nil
		}
	}
	return -1, errNone
}

//go:noinline
func RangeUnnamedInlined(n, want int) (int, error) {
	for i := range upTo(n) {
		if i == want {
			return i, nil
		}
	}
	return -1, errNone
}

func ranges() {
	sink, _ = RangeNamed(5, 3)
	sink, _ = RangeInlined(5, 3)
	sink, _ = RangeOnly(5)
	_, sink = RangeBlank(5, 3)
	_, sink = RangeBlankInlined(5, 3)
	sink, _ = RangeUnnamed(5, 3)
	sink, _ = RangeUnnamedInlined(5, 3)
}
