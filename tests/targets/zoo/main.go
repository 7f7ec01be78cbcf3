// SPDX-License-Identifier: GPL-2.0

// zoo has a function for each kind of value that Go knows, and calls each with
// the same values every time: what two tracers read of its calls must be equal.
//
//	zoo [-hold | -again]
//
// With -hold it prints "ready PID" and waits for a line on stdin first; with -again
// it waits when all has been shown, and then shows it once more.
//
// What is called is what is compared, in order, so the functions that are no
// exhibits are named visit* (they call the exhibits), await* and keep*. An exhibit
// uses its parameters, or the compiler would not say where they are, and gives
// results back in other places than it took them from.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// visits counts what the exhibits do, so that they do something.
var visits int

// kept makes the compiler put what it is given onto the heap: a value on the
// stack would move.
var kept interface{}

func main() {
	mode := ""
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	// No collection and no second thread that runs Go code: the state of a lock, a
	// channel or a map is then the same in each run.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	if mode == "-hold" {
		fmt.Printf("ready %d\n", os.Getpid())
		keepWaiting()
	}
	visitAll()
	if mode == "-again" {
		keepWaiting()
		visits = 0
		visitAll()
	}
	fmt.Println("visits:", visits)
}

func keepWaiting() {
	bufio.NewReader(os.Stdin).ReadString('\n')
}

func visitAll() {
	visitScalars()
	visitStrings()
	visitAggregates()
	visitPointers()
	visitInterfaces()
	visitErrors()
	visitMaps()
	visitChannels()
	visitFunctions()
	visitTimes()
	visitContexts()
	visitSync()
	visitMethods()
	visitDeclarations()
	visitGenerics()
	visitAtomics()
}
