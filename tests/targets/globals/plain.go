// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

type point struct{ X, Y int }

type tree struct {
	Name        string
	Left, Right *tree
	Any         any
	Err         error
}

type coded struct{ Code int }

func (c *coded) Error() string { return "code " + strconv.Itoa(c.Code) }

type both struct{ A, B error }

// The text of refused is behind two more pointers, and its token is secret.
type said struct {
	Code  int
	Text  string
	Token string
}

type status struct{ s *said }

type refused struct{ s *status }

func (r *refused) Error() string { return r.s.s.Text }

type failures []error

func (f failures) Error() string { return strconv.Itoa(len(f)) + " failures" }

type attempt struct {
	N   int
	Err error
}

func (a *attempt) Error() string { return a.Err.Error() }

func refusal(text string) error { return &refused{&status{&said{7, text, "hush"}}} }

type named struct {
	fmt.Stringer
	N int
}

type secretive struct {
	Password string
	Token    *string
	Next     *secretive
}

func text(n int) *string {
	s := fmt.Sprint("text ", n)
	return &s
}

var Int = keep("Int", 42)
var Text = keep("Text", "some text")
var Texts = keep("Texts", []string{"one", "two", "", "four"})
var LongText = keep("LongText", fmt.Sprintf("%0300d", 7))
var Bytes = keep("Bytes", []byte("bytes"))
var Point = keep("Point", &point{1, 2})
var Points = keep("Points", []*point{{1, 2}, nil, {3, 4}})
var Array = keep("Array", [3]*string{text(1), text(2), text(3)})
var Many = keep("Many", make([]int, 500))
var Nil = keep[*tree]("Nil", nil)
var Tree = keep("Tree", grown(6))
var Cycle = keep("Cycle", circle())
var Twice = keep("Twice", twice())
var Locked = keep("Locked", &secretive{"a", text(4), &secretive{"b", text(5), nil}})

var Err = keep[error]("Err", errors.New("one"))
var Errs = keep("Errs", []error{errors.New("a"), errors.New("b"), errors.New("c")})
var TwoErrs = keep("TwoErrs", [2]error{errors.New("a"), errors.New("b")})
var Both = keep("Both", both{errors.New("a"), errors.New("b")})
var Boths = keep("Boths", []*both{{errors.New("a"), &coded{1}}, {&coded{2}, errors.New("d")}})
var ErrMap = keep("ErrMap", map[string]error{"k": errors.New("a"), "l": &coded{3}, "m": errors.New("c")})
var Coded = keep("Coded", []error{&coded{1}, &coded{2}, errors.New("x"), &coded{4}})
var Wrapped = keep[error]("Wrapped", fmt.Errorf("outer: %w", fmt.Errorf("inner: %w", &coded{5})))
var Refused = keep("Refused", refusal("over quota"))
var Attempts = keep[error]("Attempts", &attempt{1, &attempt{2, &attempt{3, refusal("too late")}}})
var Failures = keep[error]("Failures", failures{&coded{6}, refusal("no such tenant"), &attempt{4, errors.New("e")}})
var Numeric = keep[error]("Numeric", numeric())
var Stringers = keep("Stringers", []fmt.Stringer{time.Second, 2 * time.Second, time.Minute})
var Named = keep("Named", []named{{time.Second, 1}, {time.Minute, 2}})
var Anys = keep("Anys", []any{1, "s", 1.5, &point{1, 2}, &point{3, 4}, point{5, 6}, []any{7, "t"}, map[string]any{"x": &tree{}}, nil})
var Func = keep("Func", adder(3, text(6)))
var Funcs = keep("Funcs", []func(int) int{adder(1, nil), adder(2, text(7))})
var Atomic = keep("Atomic", atomicValue())

func numeric() error {
	_, err := strconv.Atoi("none")
	return err
}

func grown(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{Name: fmt.Sprint("depth ", depth), Left: grown(depth - 1), Any: &point{depth, 0}, Err: &coded{depth}}
}

func circle() *tree {
	t := &tree{Name: "a", Right: &tree{Name: "b"}}
	t.Right.Left = t
	t.Right.Any = t
	return t
}

// twice has an object that is found on a long path first, and then on a short one.
func twice() *tree {
	t := &tree{Name: "shared", Left: &tree{Name: "below", Left: &tree{Name: "deep"}}}
	return &tree{Name: "top", Left: &tree{Left: t}, Right: t}
}

func adder(n int, s *string) func(int) int {
	return func(m int) int {
		if s != nil {
			m += len(*s)
		}
		return n + m
	}
}

func atomicValue() *atomic.Value {
	var v atomic.Value
	v.Store(&point{8, 9})
	return &v
}
