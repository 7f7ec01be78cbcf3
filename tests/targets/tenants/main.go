// SPDX-License-Identifier: GPL-2.0

// tenants serves calls of three tenants, which are named where services name them: in a header, in metadata, in a
// context, in a statement; and says how often it did so, and how long each call took.
//
//	tenants
//
// It says "ready PID". After each line of its input it makes the same calls, and answers with a line:
// [{"tenant":T,"user":U,"statement":S,"shard":N,"debug":B,"deep":B,"ns":D},...].
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type header map[string][]string

type request struct {
	Header header
	sizes  map[int16]int
	flags  map[string]bool
	names  map[int]string
	limits map[string]struct{ soft, hard int }
}

type tenantKey struct{}
type userKey string
type shardKey int
type keyed struct{ name string }

var userPointer = &keyed{"user"}

const spin = 20 * time.Microsecond

// foreign is a context that package context does not know.
type foreign struct {
	context.Context
	more int
}

func (f *foreign) Value(key any) any {
	return f.Context.Value(key)
}

//go:noinline
func serve(ctx context.Context, r *request, md map[string][]string, statement []byte, sql string) int {
	// A call of a tenant takes as long as others of it.
	end := time.Now().Add(time.Duration(1+len(r.Header["X-Tenant"])) * spin)
	n := 0
	for time.Now().Before(end) {
		n++
	}
	return n + len(statement) + len(sql) + len(md)
}

type call struct {
	Tenant    string `json:"tenant"`
	User      string `json:"user"`
	Statement string `json:"statement"`
	Shard     int    `json:"shard"`
	Debug     bool   `json:"debug"`
	Deep      bool   `json:"deep"`
	Ns        int64  `json:"ns"`
}

var tenants = []string{"acme", "globex", "initech", ""}

// filled makes a map that has grown to n others and has lost some, with the tenant among them.
func filled(i, n int, key, tenant string) map[string][]string {
	m := map[string][]string{}
	put := func() {
		if tenant != "" {
			m[key] = []string{tenant, "second"}
		}
	}
	if i%2 == 0 {
		put()
	}
	for k := 0; k < n; k++ {
		m[fmt.Sprintf("X-Other-%d", k)] = []string{"x"}
		if k%5 == 4 {
			delete(m, fmt.Sprintf("X-Other-%d", k-2))
		}
	}
	if i%3 == 0 {
		delete(m, key)
	}
	put()
	return m
}

// contexts makes a chain with all the kinds that there are.
func contexts(i int, c call) (context.Context, context.CancelFunc) {
	ctx := context.Background()
	if i%2 == 0 {
		ctx = context.TODO()
	}
	ctx = context.WithValue(ctx, "noise", i)
	if c.Tenant != "" {
		ctx = context.WithValue(ctx, "tenant", "outer")
		ctx = context.WithValue(ctx, tenantKey{}, c.Tenant)
		ctx = context.WithValue(ctx, "tenant", c.Tenant)
	}
	ctx, cancel := context.WithCancel(ctx)
	ctx = context.WithValue(ctx, userKey("tenant"), "no tenant")
	ctx = context.WithValue(ctx, userKey("user"), c.User)
	ctx, _ = context.WithTimeout(ctx, time.Hour)
	ctx = context.WithValue(ctx, shardKey(7), c.Shard)
	ctx = context.WithValue(ctx, userPointer, c.User)
	ctx = context.WithValue(ctx, &keyed{"user"}, "another")
	if c.Deep {
		ctx = &foreign{ctx, i}
	}
	return ctx, cancel
}

func one(i int) call {
	c := call{
		Tenant: tenants[i%4], User: fmt.Sprintf("user%d", i%5), Shard: i % 7, Debug: i%6 == 0, Deep: i%50 == 49,
	}
	c.Statement = fmt.Sprintf("SELECT %d FROM orders WHERE tenant = '%s'", i%3, c.Tenant)
	others := []int{0, 3, 7, 8, 13, 14, 20, 26, 27, 28, 40}[i%11]
	r := &request{
		Header: filled(i, others, "X-Tenant", c.Tenant),
		sizes:  map[int16]int{-5: c.Shard, 0: i, 300: -1},
		names:  map[int]string{},
		limits: map[string]struct{ soft, hard int }{"cpu": {i, i % 9}},
	}
	for k := 0; k < i%40; k++ {
		r.names[k] = "other"
		delete(r.names, k-3)
	}
	r.names[1000] = c.User
	if c.Debug {
		r.flags = map[string]bool{"debug": true, "": false}
	}
	md := filled(i+1, others/2, "x-tenant", c.Tenant)
	ctx, cancel := contexts(i, c)
	defer cancel()
	start := time.Now()
	serve(ctx, r, md, []byte(c.Statement), c.Statement)
	c.Ns = int64(time.Since(start))
	return c
}

func main() {
	in := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	fmt.Printf("ready %d\n", os.Getpid())
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		var calls []call
		for i := 0; i < 600; i++ {
			calls = append(calls, one(i))
		}
		out.Encode(calls)
	}
}
