// SPDX-License-Identifier: GPL-2.0

// ccalls calls C, and assembly that has a stack frame.
//
//	ccalls CALLS GOROUTINES SUMS
//
// It prints "ready PID" and waits for a line on stdin. Then each function of C is called CALLS times, and for each
// call there is a line of JSON with the name of its Go function, what that was given and what it returned. After
// that GOROUTINES goroutines call main._Cfunc_mean at each of 60 depths of a stack that grows, and SHA-1 is
// computed SUMS times, of 512 bytes, for which AVX2 is used once. The last line is {"mean":N,"blocks":SUMS}.
package main

/*
#include <errno.h>
#include <stdlib.h>

struct pt {
	int x, y;
	char c;
};

extern int goDouble(int n);

static long add(int a, long b, char c)
{
	return a + b * c;
}

static double mean(double a, float b)
{
	return (a + b) / 2;
}

static int fail(int e)
{
	errno = e;
	return -e;
}

static struct pt flip(struct pt p, unsigned char by)
{
	struct pt q = { p.y, p.x + by, 'z' };

	return q;
}

typedef long op(long n);

static long negate(long n)
{
	return -n;
}

static long twice(long n)
{
	return 2 * n;
}

static op *choose(int n)
{
	return n % 2 ? negate : twice;
}

static long apply(op *f, long n)
{
	return f(n);
}

static int nested(int n)
{
	return goDouble(n) + 1;
}
*/
import "C"

import (
	"bufio"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
)

type call struct {
	Func    string        `json:"func"`
	Args    []interface{} `json:"args"`
	Results []interface{} `json:"results"`
}

type list []interface{}

var out = json.NewEncoder(os.Stdout)

func said(name string, args, results list) {
	out.Encode(call{"main._C" + name, args, results})
}

//export goDouble
func goDouble(n C.int) C.int {
	return 2 * n
}

func each(i int) {
	a, b, c := C.int(-i), C.long(i)<<33, C.char(i%100)
	said("func_add", list{a, b, c}, list{C.add(a, b, c)})

	x, y := C.double(i)/2, C.float(1.5)
	said("func_mean", list{x, y}, list{C.mean(x, y)})

	e := C.int(1 + i%30)
	r, err := C.fail(e)
	said("2func_fail", list{e}, list{r, err.(syscall.Errno)})

	p := C.struct_pt{x: C.int(i), y: -1, c: 'p'}
	q := C.flip(p, 200)
	said("func_flip", list{list{p.x, p.y, p.c}, 200}, list{list{q.x, q.y, q.c}})

	f, name := C.choose(C.int(i)), []string{"twice", "negate"}[i%2]
	said("func_choose", list{i}, list{name})
	said("func_apply", list{name, b}, list{C.apply(f, b)})

	said("func_nested", list{a}, list{C.nested(a)})
}

// As a library it has this function, which makes the calls of each kind.
//
//export callEach
func callEach(calls C.int) {
	for i := 0; i < int(calls); i++ {
		each(i)
	}
}

//go:noinline
func deep(n int, at *[8]int) (calls int) {
	var here [8]int
	here[n%8] = at[0] + 1
	C.mean(C.double(n), 1)
	if n > 1 {
		calls = deep(n-1, &here)
	}
	return calls + 1 + here[(n+1)%8]
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccalls:", err)
		os.Exit(2)
	}
	return n
}

func main() {
	calls, goroutines, sums := number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	fmt.Printf("ready %d\n", os.Getpid())
	bufio.NewReader(os.Stdin).ReadString('\n')

	callEach(C.int(calls))

	mean := calls
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := 0; i < goroutines; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			n := deep(60, new([8]int))
			mu.Lock()
			mean += n
			mu.Unlock()
		}()
	}
	all.Wait()

	data := make([]byte, 512)
	for i := 0; i < sums; i++ {
		data[0] = byte(i)
		sha1.Sum(data)
	}
	out.Encode(map[string]int{"mean": mean, "blocks": sums})
}
