// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Exit status of goprobectl when Options.MaxLoad has ended it.
const exitBroken = 4

// grace is how long goprobectl may take to end before it is killed.
const grace = 10 * time.Second

// Error is what goprobectl says when it fails.
type Error struct {
	Status int    // its exit status: 1 failed, 2 wrong use; -1: a signal has ended it
	Text   string // what is wrong and, in further lines, what to do
}

// Error is the text.
func (e *Error) Error() string { return e.Text }

// run is a goprobectl that runs.
type run struct {
	cmd   *exec.Cmd
	out   *bufio.Reader
	said  notices
	eof   chan struct{} // closed: all lines have been read
	ended chan struct{} // closed: it has ended, and err says how
	err   error
	stop  sync.Once
}

// notices are the lines that goprobectl writes for a person.
type notices struct {
	fn    func(string)
	rest  string
	error []string
}

// More than goprobectl says in a line.
const noticeMost = 1 << 16

func (n *notices) Write(b []byte) (int, error) {
	n.rest += string(b)
	for {
		line, rest, ok := strings.Cut(n.rest, "\n")
		if !ok && len(line) < noticeMost {
			return len(b), nil
		}
		n.rest = rest
		n.add(line)
	}
}

// add keeps what may be the last error. What to do about it follows, indented.
func (n *notices) add(line string) {
	text := strings.TrimPrefix(line, "goprobectl: ")
	switch {
	case text != line && !strings.HasPrefix(text, "warning: "):
		n.error = []string{text}
	case strings.HasPrefix(line, "    ") && len(n.error) > 0 && len(n.error) < 16:
		n.error = append(n.error, line)
	}
	if n.fn != nil {
		n.fn(line)
	}
}

// start runs a command of goprobectl, which prints JSON. It does not outlive this program.
func start(o *Options, command string, args []string) (*run, error) {
	path := o.Compiler
	if path == "" {
		path = "goprobectl"
	}
	argv := append([]string{command, "-o", "json"}, o.CompilerArgs...)
	r := &run{
		cmd: exec.Command(path, append(argv, args...)...), said: notices{fn: o.Notice},
		eof: make(chan struct{}), ended: make(chan struct{}),
	}
	r.cmd.Stderr = &r.said
	// Ctrl-C at a terminal is for this program, which then ends goprobectl as it likes.
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = bufio.NewReaderSize(out, 1<<16)
	started := make(chan error)
	go func() {
		// The signal comes when the thread ends that has started the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := r.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		<-r.eof
		r.err = r.failure(r.cmd.Wait())
		close(r.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("goprobectl does not start: %w", err)
	}
	return r, nil
}

// failure is what went wrong, or nil.
func (r *run) failure(err error) error {
	status := r.cmd.ProcessState.ExitCode()
	if status == 0 || status == exitBroken {
		return nil
	}
	if text := strings.Join(r.said.error, "\n"); status > 0 && text != "" {
		return &Error{status, text}
	}
	return &Error{status, fmt.Sprintf("goprobectl ended without a message: %v", err)}
}

// line is the next one without its end; nil: there are no more. Nothing overwrites it.
func (r *run) line() []byte {
	line, err := r.out.ReadBytes('\n')
	if err == nil {
		return line[:len(line)-1]
	}
	// A part of a line is nothing.
	close(r.eof)
	<-r.ended
	return nil
}

// end has it end in order, and print what is left; once, because another signal would end it at once.
func (r *run) end() {
	r.stop.Do(func() { r.cmd.Process.Signal(os.Interrupt) })
}

// kill ends it, if it takes too long to end by itself. The kernel removes its breakpoints then.
func (r *run) kill() {
	r.end()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.ended:
	case <-timer.C:
		r.cmd.Process.Kill()
	}
}

// endWith ends it with the context.
func (r *run) endWith(ctx context.Context) {
	select {
	case <-ctx.Done():
		r.end()
	case <-r.ended:
	}
}

// checkWords refuses what goprobectl would take for an option.
func checkWords(words []string) error {
	for _, w := range words {
		if strings.HasPrefix(w, "-") {
			return fmt.Errorf("%q is an option, and no pattern; Options.CompilerArgs takes options", w)
		}
	}
	return nil
}

// Run runs any command of goprobectl and calls fn with each object that it prints (docs/json.md), of which
// kind is the kind. It returns when the command has ended, which the end of ctx has it do in order: then
// count, latency and stack print what they have. An error of fn's ends it, too, and is returned.
func Run(ctx context.Context, o Options, command string, args []string, fn func(kind string, object json.RawMessage) error) error {
	r, err := start(&o, command, args)
	if err != nil {
		return err
	}
	go r.endWith(ctx)
	for line := r.line(); line != nil; line = r.line() {
		if err != nil {
			continue
		}
		if err = fn(string(unquote(member(line, "kind"))), line); err != nil {
			go r.kill()
		}
	}
	if err == nil {
		err = r.err
	}
	return err
}

var errEnded = errors.New("goprobectl ended before it traced")
