// SPDX-License-Identifier: GPL-2.0

// A program with C in it, which has thread-local variables of its own.
package main

/*
#include <stdlib.h>
#include <string.h>

static __thread int calls[20] = { 1, 2, 3 };
static __thread char scratch[200];	// behind Go's own word

static int add(int a, int b)
{
	calls[0] += a + scratch[a]++;
	return a + b + calls[0];
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

//go:noinline
func Add(x int, s string) int {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return int(C.add(C.int(x), 2)) + int(C.strlen(c))
}

func main() {
	fmt.Println(Add(1, "abc"))
}
