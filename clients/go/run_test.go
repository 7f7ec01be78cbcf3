// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startLine   = `{"kind":"start","functions":1,"breakpoints":2}`
	summaryLine = `{"kind":"summary","calls":1,"lost":0,"lost_by_cause":{}}`
	callLine    = `{"kind":"call","func":"main.f","pid":1,"tid":2,"goid":3,"time_ns":5,"args":[]}`
)

// fake is a program in place of goprobectl: a shell script, $p is a file for what it leaves.
func fake(t *testing.T, script string) (Options, string) {
	dir := t.TempDir()
	path, left := filepath.Join(dir, "goprobectl"), filepath.Join(dir, "left")
	if err := os.WriteFile(path, []byte("#!/bin/bash\np="+left+"\n"+script), 0700); err != nil {
		t.Fatal(err)
	}
	return Options{Compiler: path}, left
}

func within(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatalf("%s waits for ever", what)
	}
}

// TestASession is one from its beginning to its end, as its context ends.
func TestASession(t *testing.T) {
	o, left := fake(t, `echo "$@" >$p; end() { echo '`+callLine+`'; echo '`+summaryLine+`'; exit 0; }; trap end INT
echo 'goprobectl: warning: it rains' >&2; echo '`+startLine+`'; while :; do sleep 0.1; done`)
	var said []string
	o.Notice = func(line string) { said = append(said, line) }
	o.PIDs, o.File, o.MaxLoad, o.Times, o.Held, o.RingBytes = []int{7, 8}, "/f", -1, 3, 9, 65536
	o.NoReturn, o.Inlined, o.Registers, o.Split, o.Lossless = true, true, true, true, true
	o.CompilerArgs = []string{"--depth", "3"}
	within(t, "the session", func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s, err := Attach(ctx, o, "main.f(x)")
		if err != nil {
			t.Error(err)
			return
		}
		cancel()
		n := 0
		for e := range s.Events() {
			n++
			if e.Func != "main.f" {
				t.Errorf("it was %s", e.Func)
			}
		}
		if c := s.Counts(); n != 1 || c.Calls != 1 || !c.Ended || s.Err() != nil {
			t.Errorf("%d events, %+v, %v", n, c, s.Err())
		}
	})
	args, _ := os.ReadFile(left)
	const want = "attach -o json --depth 3 -p 7 -p 8 -b /f --max-load off --no-return --inlined --registers --split --lossless " +
		"--times 3 --buffer 65536 --held 9 main.f(x)\n"
	if string(args) != want {
		t.Errorf("its arguments: %q, not %q", args, want)
	}
	if fmt.Sprint(said) != "[goprobectl: warning: it rains]" {
		t.Errorf("it said %q", said)
	}
}

// TestFailures are errors in goprobectl's words, with its exit status.
func TestFailures(t *testing.T) {
	for _, row := range []struct {
		script string
		want   string
		status int
	}{
		{"echo 'goprobectl: no function is named x' >&2; echo '    did you mean y?' >&2; exit 1", "no function is named x\n    did you mean y?", 1},
		{"echo 'goprobectl: warning: w' >&2; echo 'goprobectl: unknown option' >&2; exit 2", "unknown option", 2},
		{"echo 'tracing' >&2; kill -SEGV $$", "goprobectl ended without a message: signal: segmentation fault", -1},
		{"exit 0", "goprobectl ended before it traced", 0},
		{"printf '" + startLine + "'", "goprobectl ended before it traced", 0},
	} {
		o, _ := fake(t, row.script)
		within(t, row.script, func() {
			_, err := Attach(context.Background(), o, "main.f")
			var failed *Error
			if err == nil || err.Error() != row.want || errors.As(err, &failed) != (row.status != 0) || failed != nil && failed.Status != row.status {
				t.Errorf("%s: %v", row.script, err)
			}
		})
	}
	if _, err := Attach(context.Background(), Options{Compiler: "/does/not/exist"}, "x"); err == nil {
		t.Error("a program that does not exist")
	}
	o, left := fake(t, "touch $p")
	if _, err := Attach(context.Background(), o, "main.f", "--output=/etc/passwd"); err == nil || !strings.Contains(err.Error(), "is an option") {
		t.Errorf("an option in place of a pattern: %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("it was run")
	}
}

// TestAnErrorLater is one of a session that runs; that of --max-load is an event, and no error.
func TestAnErrorLater(t *testing.T) {
	for _, row := range []struct {
		end  string
		want string
	}{
		{"echo 'goprobectl: the module refuses' >&2; exit 1", "[call] the module refuses"},
		{`echo '{"kind":"broken","hits_per_second":9}'; exit 4`, "[call broken] <nil>"},
	} {
		o, _ := fake(t, "echo '"+startLine+"'; echo '"+callLine+"'; "+row.end)
		within(t, row.end, func() {
			s, err := Attach(context.Background(), o, "main.f")
			if err != nil {
				t.Error(err)
				return
			}
			var kinds []EventKind
			for e := range s.Events() {
				kinds = append(kinds, e.Kind)
			}
			if got := fmt.Sprint(kinds, s.Err()); got != row.want {
				t.Errorf("%s: %s", row.end, got)
			}
		})
	}
}

// TestCloseAndCancel: neither events that nobody receives nor a goprobectl that is busy make them wait.
func TestCloseAndCancel(t *testing.T) {
	o, _ := fake(t, `trap 'exit 0' INT; echo '`+startLine+`'; while :; do echo '`+callLine+`'; done`)
	within(t, "Close", func() {
		s, err := Attach(context.Background(), o, "main.f")
		if err != nil {
			t.Error(err)
			return
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	o, _ = fake(t, `trap '' INT; while :; do sleep 0.1; done`)
	within(t, "a canceled Attach", func() {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if _, err := Attach(ctx, o, "main.f"); err != context.DeadlineExceeded {
			t.Error(err)
		}
	})
}

// TestItDoesNotOutliveUs: what this program has started ends with it, however it ends.
func TestItDoesNotOutliveUs(t *testing.T) {
	if path := os.Getenv("GOPROBE_TEST_FAKE"); path != "" {
		if _, err := Attach(context.Background(), Options{Compiler: path}, "main.f"); err != nil {
			t.Fatal(err)
		}
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	o, left := fake(t, "echo $$ >$p; echo '"+startLine+"'; while :; do sleep 0.1; done")
	cmd := exec.Command(os.Args[0], "-test.run", "TestItDoesNotOutliveUs")
	cmd.Env = append(os.Environ(), "GOPROBE_TEST_FAKE="+o.Compiler)
	if err := cmd.Run(); err == nil {
		t.Fatal("it ended in order")
	}
	b, err := os.ReadFile(left)
	pid, bad := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	within(t, "it", func() {
		for {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err != nil || strings.Contains(string(stat), ") Z ") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// TestCommands are the other commands, and what they print.
func TestCommands(t *testing.T) {
	o, left := fake(t, `echo "$@" >>$p; case $1 in
count) echo '{"kind":"count","func":"main.f","time_ns":1,"calls":219,"sum":-9,"mean":-0.04,"min":-9,"max":18446744073709551615,"buckets":[{"below":0,"calls":7},{"from":2,"calls":8}]}';;
latency) echo '{"kind":"latency","func":"main.f","calls":2,"returned":1,"open":1,"sum_ns":7,"mean_ns":7,"min_ns":7,"p50_ns":7,"p90_ns":7,"p95_ns":7,"p99_ns":7,"p999_ns":7,"max_ns":7}';;
stack) echo '{"kind":"stack","count":14,"sum_ns":8,"wait_ns":7,"key":[{"expr":"n","type":"int","value":3}],"frames":[{"func":"main.f","file":"/m.go","line":31,"inlined":true},{"func":null}]}';;
list) echo '{"kind":"function","func":"main.f","signature":"func()","file":"/m.go","line":14,"refused":"no"}';;
read) echo '{"kind":"read","pid":3,"time_ns":1,"values":[{"name":"main.n","type":"int","value":100}]}';;
replay) echo '`+callLine+`';;
esac; echo '`+summaryLine+`'`)
	o.PIDs = []int{3}
	ctx := context.Background()
	counts, err1 := Count(ctx, o, "main.*")
	latencies, err2 := Latencies(ctx, o, "main.*")
	stacks, err3 := Stacks(ctx, o, "main.*")
	list, err4 := List(ctx, o, "main.*")
	values, err5 := Read(ctx, o, 3, "main.n")
	n := 0
	replayed, err6 := Replay(ctx, Options{Compiler: o.Compiler}, "-r", func(e *Event) { n++ })
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || err5 != nil || err6 != nil {
		t.Fatal(err1, err2, err3, err4, err5, err6)
	}
	// How a json.RawMessage prints depends on the release of Go.
	key := stacks[0].Key[0]
	if stacks[0].Key = nil; text(key.Expr, key.Type, string(key.Value)) != "n int 3" {
		t.Errorf("the key of a stack: %+v", key)
	}
	got := text(counts, latencies, stacks, list, values[0].Name(), values[0].Int(), replayed.Calls, replayed.Ended, n)
	want := "[{main.f 219 -9 -0.04 -9 18446744073709551615 [{ 7} {2 8}]}] [{main.f 2 1 1 0" + strings.Repeat(" 7ns", 9) + "}] [{14 8ns 7ns [] [{main.f /m.go 31 true} {  0 false}] <nil> false}] " +
		"[{main.f func() /m.go 14 no}] main.n 100 1 true 1"
	if got != want {
		t.Errorf("%s, not %s", got, want)
	}
	args, _ := os.ReadFile(left)
	if want := "count -o json -p 3 main.*\nlatency -o json -p 3 main.*\nstack -o json -p 3 main.*\nlist -o json -p 3 main.*\n" +
		"read -o json -p 3 main.n\nreplay -o json ./-r\n"; string(args) != want {
		t.Errorf("arguments: %s", args)
	}
	stop := errors.New("enough")
	if err := Run(ctx, o, "count", nil, func(string, json.RawMessage) error { return stop }); err != stop {
		t.Errorf("a function that fails: %v", err)
	}
}

// TestLatency: quantiles are off by an eighth at most.
func TestLatency(t *testing.T) {
	var l Latency
	for i := 1; i <= 1000; i++ {
		l.Add(time.Duration(i) * time.Microsecond)
	}
	if l.Count != 1000 || l.Min != time.Microsecond || l.Max != time.Millisecond || l.Mean() != 500500*time.Nanosecond {
		t.Errorf("%+v", l)
	}
	for _, q := range []float64{0, 0.01, 0.5, 0.99, 1} {
		exact := float64(int(q*999)+1) * 1000
		if got := float64(l.Quantile(q)); got < exact*7/8 || got > exact*9/8 {
			t.Errorf("quantile %v: %v, not %v", q, got, exact)
		}
	}
}

// TestOfARealGoprobectl: it lists the functions of this program, and says what is wrong.
func TestOfARealGoprobectl(t *testing.T) {
	o := Options{Compiler: os.Getenv("GOPROBECTL"), File: os.Args[0]}
	if o.Compiler == "" {
		t.Skip("GOPROBECTL does not say where goprobectl is")
	}
	list, err := List(context.Background(), o, "goprobe/clients/go.decodeEvent")
	if err != nil || len(list) != 1 || !strings.HasSuffix(list[0].File, "/decode.go") || list[0].Line == 0 || list[0].Refused != "" {
		t.Errorf("%+v, %v", list, err)
	}
	var failed *Error
	if _, err = List(context.Background(), o, "goprobe/clients/go.decodeEven"); !errors.As(err, &failed) || failed.Status != 1 || !strings.Contains(failed.Text, "decodeEven") {
		t.Errorf("a function that does not exist: %v", err)
	}
	if _, err = Replay(context.Background(), o, "/dev/null", nil); !errors.As(err, &failed) {
		t.Errorf("what is not a recording: %v", err)
	}
}
