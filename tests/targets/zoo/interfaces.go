// SPDX-License-Identifier: GPL-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }

type Circle struct{ R, X float64 }

type errorString string

type Code int

type Detailed struct {
	Op  string
	N   int
	Err error
}

type Multi []error

func (s Square) Area() float64             { return s.Side * s.Side }
func (c *Circle) Area() float64            { return 3 * c.R * c.R }
func (c Celsius) Area() float64            { return float64(c) }
func (s errorString) Error() string        { return string(s) }
func (c Code) Error() string               { return "code " + strconv.Itoa(int(c)) }
func (d *Detailed) Error() string          { return d.Op }
func (d *Detailed) Unwrap() error          { return d.Err }
func (m Multi) Error() string              { return strconv.Itoa(len(m)) }
func (s Square) String() string            { return "square" }
func (p *Point) String() string            { return "point" }
func (p *Point) Write([]byte) (int, error) { return 0, nil }

//go:noinline
func anything(x interface{}) (int, interface{}) { visits++; return visits, x }

//go:noinline
func shapes(s Shape) (int, Shape) { visits++; return visits, s }

//go:noinline
func writers(w io.Writer, s fmt.Stringer) (fmt.Stringer, io.Writer) { visits++; return s, w }

//go:noinline
func errs(err error) (int, error) { visits++; return visits, err }

//go:noinline
func fails(op string) (n int, err error) {
	visits++
	if op == "" {
		return 0, &Detailed{"fails", 3, io.ErrUnexpectedEOF}
	}
	return len(op), nil
}

func visitInterfaces() {
	seven, text, point := 7, "boxed", &Point{3, 4}
	for _, x := range []interface{}{
		nil, 7, 70000, int8(-8), uint16(65535), uint64(1 << 63), "text", "", 2.5, float32(0.1), true, 'r', complex(1, 2),
		Point{1, 2}, point, &seven, &text, []int{1, 2}, []string(nil), [2]int{3, 4}, [1]*Point{point}, Celsius(3), Name("named"),
		map[string]bool{"t": true}, struct{}{}, struct{ A, B int }{5, 6}, struct{ P *Point }{point}, double,
		errorString("error in any"), Square{2}, (*Point)(nil), [0]int{}, uintptr(9), byte(200),
	} {
		anything(x)
	}
	for _, s := range []Shape{nil, Square{2}, &Circle{2, 0}, Celsius(-1), (*Circle)(nil)} {
		shapes(s)
	}
	writers(point, Square{4})
	writers(nil, point)
	kept = []interface{}{&seven, &text, point}
}

func visitErrors() {
	_, number := strconv.Atoi("twelve")
	_, open := os.Open("/nonexistent/zoo")
	for _, err := range []error{
		nil,
		errors.New("plain"),
		fmt.Errorf("wrapped: %w", errors.New("inside")),
		fmt.Errorf("twice: %w", fmt.Errorf("once: %w", io.EOF)),
		fmt.Errorf("formatted %d", 5),
		io.EOF,
		open,
		number,
		errorString("string"),
		Code(7),
		&Detailed{"read", 2, io.EOF},
		&Detailed{"write", 0, nil},
		Multi{io.EOF, Code(8)},
		(*Detailed)(nil),
		&os.SyscallError{Syscall: "openat", Err: os.ErrPermission},
		errors.New(strings.Repeat("long message ", 50)),
	} {
		errs(err)
	}
	fails("")
	fails("fine")
}
