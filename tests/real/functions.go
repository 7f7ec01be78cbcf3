// SPDX-License-Identifier: GPL-2.0

// functions prints the functions of a Go program as Go's own library reads its line table:
// "ENTRY END NAME", addresses in hexadecimal. END is where the next function begins.
//
//	functions FILE
package main

import (
	"bufio"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
)

func fail(why ...interface{}) {
	fmt.Fprintln(os.Stderr, append([]interface{}{"functions:"}, why...)...)
	os.Exit(1)
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: functions FILE")
	}
	f, err := elf.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	text, lines := f.Section(".text"), f.Section(".gopclntab")
	if text == nil || lines == nil {
		fail(os.Args[1], "has no .text or no .gopclntab")
	}
	data, err := lines.Data()
	if err != nil {
		fail(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		fail(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, fn := range table.Funcs {
		fmt.Fprintf(out, "%x %x %s\n", fn.Entry, fn.End, fn.Name)
	}
}
