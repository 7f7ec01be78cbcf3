// SPDX-License-Identifier: GPL-2.0

// queries calls a function with strings that differ in one byte only, and says how often it did so with each.
//
//	queries
//
// It says "ready PID". After each line of its input it makes the same calls, and answers with a line:
// [{"sql":S,"tenant":T,"calls":N},...].
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

//go:noinline
func query(sql, tenant string) int {
	return len(sql) + len(tenant)
}

type counted struct {
	SQL    string `json:"sql"`
	Tenant string `json:"tenant"`
	Calls  int    `json:"calls"`
}

// varied gives n bytes, of which the one at the place is x.
func varied(n, place int) string {
	s := []byte(strings.Repeat("select a column from that table where ", n/38+1)[:n])
	s[place] = 'x'
	return string(s)
}

func all() []counted {
	var calls []counted
	add := func(sql, tenant string) {
		calls = append(calls, counted{sql, tenant, len(calls)%5 + 1})
	}
	// What the key has as it is, and what it has the beginning of.
	for _, n := range []int{63, 64, 65, 71, 72, 73, 127, 128, 129, 192, 193, 1000, 4095, 4096} {
		for _, place := range []int{0, n / 3, n / 2, n - 1} {
			add(varied(n, place), "one")
		}
	}
	for i := 0; i < 200; i++ {
		add(fmt.Sprintf("%s%03d", strings.Repeat("-", 64), i), "one")
	}
	add("\xff", "one")
	add(`\xff`, "one")
	for i := 0; i < 4; i++ {
		add(varied(100, 64+i), strings.Repeat("t", 64)+varied(100, i))
	}
	return calls
}

func main() {
	calls := all()
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	fmt.Printf("ready %d\n", os.Getpid())
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		for _, c := range calls {
			for i := 0; i < c.Calls; i++ {
				query(c.SQL, c.Tenant)
			}
		}
		// These can't be distinguished.
		query(varied(5000, 4999), "long")
		query(varied(5000, 4998), "long")
		query(varied(5000, 1000), "long")
		out.Encode(calls)
	}
}
