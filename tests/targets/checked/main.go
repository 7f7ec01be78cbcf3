// SPDX-License-Identifier: GPL-2.0

// checked is a program that compares its own code with a checksum when it starts,
// if Go's FIPS 140 module is on: Go 1.24 or newer, and GODEBUG=fips140=on.
//
//	checked [-hold] [-again] N
//
// With -hold it prints "ready PID" and waits for a line on stdin. With -again it
// then executes its own file, once. It calls main.sum N times, which computes an
// HMAC, and prints {"enabled": whether the module is on, "calls": N}.
package main

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// enabled is set where there is such a module.
var enabled = func() bool { return false }

//go:noinline
func sum(text []byte) []byte {
	h := hmac.New(sha256.New, []byte("a key of many bytes"))
	h.Write(text)
	return h.Sum(nil)
}

//go:noinline
func seal(key, text []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	stream := cipher.NewCTR(block, key[:16])
	stream.XORKeyStream(text, text)
	return text
}

func main() {
	hold := flag.Bool("hold", false, "wait for a line")
	again := flag.Bool("again", false, "execute the file again")
	flag.Parse()
	n, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "checked: how many calls?")
		os.Exit(2)
	}
	if *hold {
		fmt.Println("ready", os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	if *again {
		err := syscall.Exec("/proc/self/exe", []string{os.Args[0], flag.Arg(0)}, os.Environ())
		fmt.Fprintln(os.Stderr, "checked:", err)
		os.Exit(1)
	}
	for i := 0; i < n; i++ {
		seal(sum([]byte{byte(i)}), make([]byte, 100))
	}
	fmt.Printf("{\"enabled\": %v, \"calls\": %d}\n", enabled(), n)
}
