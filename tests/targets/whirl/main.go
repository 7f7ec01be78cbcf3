// SPDX-License-Identifier: GPL-2.0

// whirl is everything that makes it hard to change code while it runs: goroutines on stacks that grow and move, panics,
// garbage collections without end, a CPU profile, children that are made and executed. It counts its own calls.
//
//	whirl [-goroutines N] [-depth N]
//
// It says "ready PID", then does what each line of its input says, and answers with a line:
//
//	work T     all of that for the time T: {"main.deep":N,...,"results":N}, its calls since it began, and a checksum
//	           of what goroutines have computed, which does not depend on T
//	calls N    N calls of main.step, with 0 to N-1: the same
//	fork       a child by fork() alone calls main.step 500 times: how it ended, 7 if all was right
//	drop       the kernel throws away the pages of its code: "dropped"
//	remap      it maps the pages of its code again: "remapped"
//	map FILE   it maps the first page of a file: "mapped"
//	plain      SIGUSR2 has a handler that runs on the thread's own stack: "plain"
//	exec       executes itself again in the same process
//	forge N    it adds N to each word that goprobe has in its memory, in the first 32 bytes: how many mappings it found
//	replace FILE  it maps a file, shared, over all but the first page of each of these mappings: the same
//	lock       all that it maps from now on is locked in memory: "locked"
//	noticks    a thread of it may not read the processor's counter from now on: "noticks"
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type calls struct {
	deep, wide, risky, step, far int
}

// deep has a small frame, and calls itself on a stack that begins small.
//
//go:noinline
func deep(c *calls, n int) int {
	c.deep++
	if n == 0 {
		return 1
	}
	return deep(c, n-1)*3 + n
}

// wide has a large one, and so another stack check.
//
//go:noinline
func wide(c *calls, n int) int {
	var space [1000]byte
	c.wide++
	space[n%len(space)] = byte(n)
	if n > 0 {
		n += wide(c, n-1)
	}
	return n + int(space[(n*7)%len(space)])
}

//go:noinline
func risky(c *calls, n int) int {
	c.risky++
	if n == 0 {
		panic("at the bottom")
	}
	return risky(c, n-1) + 1
}

func guard(c *calls, n int) (sum int) {
	defer func() {
		if recover() != nil {
			sum = n
		}
	}()
	return risky(c, n)
}

// step is called often.
//
//go:noinline
func step(c *calls, n int) int {
	c.step++
	if n < 0 {
		runtime.Gosched()
	}
	return n + 1
}

// far is so long that its stack check branches far.
//
//go:noinline
func far(c *calls, n int) int {
	c.far++
	if n < 0 {
		runtime.Gosched()
	}
	for i := 0; i < 2; i++ {
		n ^= n << 13
		n ^= n >> 7
		n ^= n << 17
		n = n*31 + i<<3
		n ^= n << 5
		n ^= n >> 11
		n ^= n << 9
		n = n*37 + i<<5
		n ^= n << 3
		n ^= n >> 15
		n ^= n << 21
		n = n*41 + i<<7
		n ^= n << 19
		n ^= n >> 6
		n ^= n << 2
	}
	return n
}

var (
	lock    sync.Mutex
	total   calls
	results int
)

func (c *calls) add(more *calls) {
	c.deep += more.deep
	c.wide += more.wide
	c.risky += more.risky
	c.step += more.step
	c.far += more.far
}

// turn is what one goroutine does, on a stack of its own: always the same.
func turn(id, depth int) int {
	var mine calls
	done := make(chan int)
	go func() {
		sum := deep(&mine, depth+id%7) + wide(&mine, depth/10) + guard(&mine, depth/20+id%5)
		for n := 0; n < 1000; {
			n = step(&mine, n)
			sum += n
		}
		done <- sum
	}()
	sum := <-done
	lock.Lock()
	total.add(&mine)
	lock.Unlock()
	return sum
}

func whirl(goroutines, depth int, until time.Time) {
	want := make([]int, goroutines)
	results = 0
	for id := range want {
		want[id] = turn(id, depth)
		results = results*31 + want[id]
	}
	var all sync.WaitGroup
	for id := range want {
		all.Add(1)
		go func(id int) {
			defer all.Done()
			for time.Now().Before(until) {
				if got := turn(id, depth); got != want[id] {
					fmt.Printf("whirl: goroutine %d computed %d, not %d\n", id, got, want[id])
					os.Exit(1)
				}
			}
		}(id)
	}
	all.Wait()
}

func children(stop chan bool) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		if out, err := exec.Command("/bin/echo", "a child").Output(); err != nil || string(out) != "a child\n" {
			fmt.Println("whirl: a child failed:", err, string(out))
			os.Exit(1)
		}
	}
}

func work(goroutines, depth int, d time.Duration) {
	var profile bytes.Buffer
	var around sync.WaitGroup
	stop := make(chan bool)

	debug.SetGCPercent(1)
	runtime.SetCPUProfileRate(1000)
	pprof.StartCPUProfile(&profile)
	around.Add(2)
	go func() { children(stop); around.Done() }()
	go func() {
		defer around.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	whirl(goroutines, depth, time.Now().Add(d))
	close(stop)
	around.Wait()
	pprof.StopCPUProfile()
	debug.SetGCPercent(100)
}

//go:noinline
func steps(n int) int {
	var mine calls
	sum := 0
	for i := 0; i < n; i++ {
		sum += step(&mine, i)
		far(&mine, i)
	}
	total.add(&mine)
	return sum
}

// fork makes a child that has one thread and no runtime to speak of.
func fork() int {
	pid, _, e := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if e == 0 && pid == 0 {
		status := uintptr(8)
		if steps(500) == 500*501/2 {
			status = 7
		}
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, status, 0, 0)
	}
	var status syscall.WaitStatus
	syscall.Wait4(int(pid), &status, 0, nil)
	if status.Signaled() {
		return -int(status.Signal())
	}
	return status.ExitStatus()
}

func drop() {
	at := reflect.ValueOf(step).Pointer() &^ 4095
	syscall.Syscall(syscall.SYS_MADVISE, at, 8192, 4 /* MADV_DONTNEED */)
}

// remap maps the page of step again, from the file, in its place.
func remap() {
	at := uint64(reflect.ValueOf(step).Pointer() &^ 4095)
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	defer self.Close()
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to, offset uint64
		var rights string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x", &from, &to, &rights, &offset); n < 4 || at < from || at >= to {
			continue
		}
		_, _, e := syscall.Syscall6(syscall.SYS_MMAP, uintptr(at), 4096, syscall.PROT_READ|syscall.PROT_EXEC,
			syscall.MAP_PRIVATE|syscall.MAP_FIXED, self.Fd(), uintptr(offset+at-from))
		if e != 0 {
			panic(e)
		}
	}
}

func mapFile(path string) {
	f, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	if _, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_PRIVATE); err != nil {
		panic(err)
	}
}

// goprobes are the mappings of goprobe for numbers: of 128 KiB, between its code and 5 GiB behind that.
func goprobes() (found []uintptr) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	var code, from, to uint64
	var rights string
	for _, line := range strings.Split(string(maps), "\n") {
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &rights); n < 3 {
			continue
		}
		if strings.HasSuffix(line, "/goprobe (deleted)") && code == 0 {
			code = from
		}
		if code != 0 && rights == "rw-p" && to-from == 1<<17 && from-code < 5<<30 {
			found = append(found, uintptr(from))
		}
	}
	return found
}

func forge(n int) int {
	found := goprobes()
	for _, at := range found {
		for i := uintptr(0); i < 32; i += 8 {
			atomic.AddInt64((*int64)(unsafe.Pointer(at+i)), int64(n)) //nolint:govet // goprobe's, not Go's
		}
	}
	return len(found)
}

func replace(path string) int {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	found := goprobes()
	for _, at := range found {
		_, _, e := syscall.Syscall6(syscall.SYS_MMAP, at+4096, 1<<17-4096, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_SHARED|syscall.MAP_FIXED, f.Fd(), 0)
		if e != 0 {
			panic(e)
		}
	}
	return len(found)
}

// plain takes SA_ONSTACK from the action that Go's runtime has set.
func plain() {
	const onStack = 0x08000000
	action := new(struct {
		handler  uintptr
		flags    uint64
		restorer uintptr
		mask     uint64
	})
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGUSR2), 0, uintptr(unsafe.Pointer(action)), 8, 0, 0)
	action.flags &^= onStack
	_, _, e := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGUSR2), uintptr(unsafe.Pointer(action)), 0, 8, 0, 0)
	if e != 0 {
		panic(e)
	}
}

// noticks keeps that thread in a system call: Go's own clocks read the counter as well.
func noticks() {
	var done int32
	go func() {
		runtime.LockOSThread()
		syscall.RawSyscall(syscall.SYS_PRCTL, 26 /* PR_SET_TSC */, 2 /* PR_TSC_SIGSEGV */, 0)
		atomic.StoreInt32(&done, 1)
		syscall.Syscall(syscall.SYS_PAUSE, 0, 0, 0)
	}()
	for atomic.LoadInt32(&done) == 0 {
		time.Sleep(time.Millisecond)
	}
}

func answer() {
	line, _ := json.Marshal(map[string]int{
		"main.deep": total.deep, "main.wide": total.wide, "main.risky": total.risky, "main.step": total.step,
		"main.far": total.far, "results": results,
	})
	fmt.Println(string(line))
}

func main() {
	goroutines := flag.Int("goroutines", 200, "goroutines")
	depth := flag.Int("depth", 1000, "depth of the deepest recursion")
	flag.Parse()
	fmt.Println("ready", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		word := strings.Fields(in.Text())
		switch word[0] {
		case "work":
			d, err := time.ParseDuration(word[1])
			if err != nil {
				panic(err)
			}
			work(*goroutines, *depth, d)
			answer()
		case "calls":
			n, err := strconv.Atoi(word[1])
			if err != nil {
				panic(err)
			}
			steps(n)
			answer()
		case "fork":
			fmt.Println(fork())
		case "drop":
			drop()
			fmt.Println("dropped")
		case "remap":
			remap()
			fmt.Println("remapped")
		case "map":
			mapFile(word[1])
			fmt.Println("mapped")
		case "forge":
			n, err := strconv.Atoi(word[1])
			if err != nil {
				panic(err)
			}
			fmt.Println(forge(n))
		case "replace":
			fmt.Println(replace(word[1]))
		case "lock":
			if _, _, e := syscall.Syscall(syscall.SYS_MLOCKALL, 2 /* MCL_FUTURE */, 0, 0); e != 0 {
				panic(e)
			}
			fmt.Println("locked")
		case "plain":
			plain()
			fmt.Println("plain")
		case "noticks":
			noticks()
			fmt.Println("noticks")
		case "exec":
			syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		}
	}
}
