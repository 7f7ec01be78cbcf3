// SPDX-License-Identifier: GPL-2.0

// The part of each random program that makes values: any value of any type, from
// a seed.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"reflect"
	"syscall"
	"time"
	"unsafe"
)

var state uint64 // of the random numbers

func next() uint64 {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func pick(n int) int { return int(next() % uint64(n)) }

// budget is how many more objects the values of this call may have; all of a call has to fit into one record.
var budget int

const objects = 25

func start() { budget = objects }

// mk makes a value.
func mk[T any]() T {
	var x T
	fill(reflect.ValueOf(&x).Elem(), false, 0)
	return x
}

// fillAll makes the values that these pointers point to.
func fillAll(pointers ...interface{}) {
	for _, p := range pointers {
		fill(reflect.ValueOf(p).Elem(), false, 0)
	}
}

// Types that values in interfaces have; the generated part adds its own.
var dynamic = []reflect.Type{
	reflect.TypeOf(0), reflect.TypeOf(""), reflect.TypeOf(1.5), reflect.TypeOf(true), reflect.TypeOf([]int(nil)),
	reflect.TypeOf(map[string]int(nil)), reflect.TypeOf((*int)(nil)), reflect.TypeOf(time.Time{}),
	reflect.TypeOf(time.Duration(0)), reflect.TypeOf(struct{}{}), reflect.TypeOf([]byte(nil)), reflect.TypeOf(uint8(0)),
	reflect.TypeOf([2]string{}), reflect.TypeOf(complex64(0)),
}

// How values are made of types that fill would make nonsense of, and functions: the generated part adds its own.
var makers = map[reflect.Type][]func() reflect.Value{}

// Those that are interfaces.
var interfaces []reflect.Type

func maker[T any](functions ...func() T) {
	t := reflect.TypeOf((*T)(nil)).Elem()
	if t.Kind() == reflect.Interface {
		interfaces = append(interfaces, t)
	}
	for _, f := range functions {
		f := f
		makers[t] = append(makers[t], func() reflect.Value {
			x := f()
			return reflect.ValueOf(&x).Elem()
		})
	}
}

type ownKey int

func init() {
	maker(
		func() time.Time { return time.Time{} },
		func() time.Time { return time.Unix(int64(next()>>30), int64(next()%1e9)).UTC() },
		func() time.Time { return time.Unix(-int64(next()>>30), int64(next()%1e9)).UTC() },
		func() time.Time {
			return time.Date(1+pick(9999), time.Month(1+pick(12)), 1+pick(31), pick(24), pick(60), pick(60), pick(1e9), time.UTC)
		},
	)
	maker(
		func() error { return errors.New(text()) },
		func() error { return io.EOF },
		func() error { return fmt.Errorf("%d: %w", int8(next()), errors.New(text())) },
		func() error { return &fs.PathError{Op: "open", Path: "/" + text(), Err: syscall.Errno(1 + pick(30))} },
		func() error { return &os.SyscallError{Syscall: "write", Err: syscall.ENOENT} },
		func() error { return syscall.Errno(1 + pick(30)) },
	)
	maker(
		func() context.Context { return context.Background() },
		func() context.Context { return context.WithValue(context.Background(), ownKey(next()), int(next())) },
	)
	maker(
		func() fmt.Stringer { return time.Duration(next()) },
		func() fmt.Stringer { return time.Month(1 + pick(12)) },
		func() fmt.Stringer { return reflect.Kind(pick(20)) },
	)
}

const maxDepth = 5

// maxClosures limits closures that capture closures: captured variables are filled from depth 0 again.
const maxClosures = 3

var closures int

// fill makes a value of v's type in v, which can be addressed; key: it has to be one that a map can have as a key.
func fill(v reflect.Value, key bool, depth int) {
	t := v.Type()
	if v.CanAddr() && !v.CanSet() {
		v = reflect.NewAt(t, unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	if made := makers[t]; made != nil && t.Kind() != reflect.Interface && t.Kind() != reflect.Func {
		v.Set(made[pick(len(made))]())
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(next()&1 == 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(integer()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(integer())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(number())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(number(), number()))
	case reflect.String:
		v.SetString(text())
	case reflect.Array:
		for i := 0; i < v.Len(); i++ {
			fill(v.Index(i), key, depth)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			fill(v.Field(i), key, depth)
		}
	default:
		v.Set(reflect.Zero(t))
		if budget <= 0 || depth >= maxDepth || pick(8) == 0 {
			return
		}
		budget--
		reference(v, key, depth+1)
	}
}

// reference fills what is nil otherwise.
func reference(v reflect.Value, key bool, depth int) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Ptr:
		pointer(v, depth)
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new([2]uint64)))
	case reflect.Slice:
		slice(v, depth)
	case reflect.Map:
		mapping(v, depth)
	case reflect.Chan:
		channel(v, depth)
	case reflect.Func:
		if made := makers[unnamed(t)]; made != nil && closures < maxClosures {
			closures++
			v.Set(made[pick(len(made))]().Convert(t))
			closures--
		}
	case reflect.Interface:
		inside(v, key, depth)
	}
}

// unnamed is the type without its name, of functions.
func unnamed(t reflect.Type) reflect.Type {
	var in, out []reflect.Type
	for i := 0; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for i := 0; i < t.NumOut(); i++ {
		out = append(out, t.Out(i))
	}
	return reflect.FuncOf(in, out, t.IsVariadic())
}

// Pointers that were made for this type, for values that are pointed to twice.
var pointers = map[reflect.Type]reflect.Value{}

func pointer(v reflect.Value, depth int) {
	t := v.Type()
	elem := t.Elem()
	if old, ok := pointers[t]; ok && pick(8) == 0 {
		v.Set(old)
		return
	}
	switch pick(6) {
	case 0: // into the middle of something
		s := reflect.MakeSlice(reflect.SliceOf(elem), 3, 3)
		v.Set(s.Index(1).Addr().Convert(t))
	default:
		v.Set(reflect.New(elem).Convert(t))
	}
	fill(v.Elem(), false, depth)
	if pick(4) == 0 {
		pointers[t] = v.Elem().Addr().Convert(t)
	}
}

func few() int {
	if pick(40) == 0 {
		return 60 + pick(10) // some below, some beyond what is shown
	}
	return pick(5)
}

func slice(v reflect.Value, depth int) {
	t := v.Type()
	n := few()
	if n > 5 && t.Elem().Kind() > reflect.Complex128 {
		n = 5
	}
	before, behind := 0, 0
	if pick(3) == 0 {
		before, behind = pick(3), pick(4)
	}
	s := reflect.MakeSlice(t, before+n+behind, before+n+behind).Slice(before, before+n)
	for i := 0; i < n; i++ {
		fill(s.Index(i), false, depth)
	}
	v.Set(s)
}

func mapping(v reflect.Value, depth int) {
	t := v.Type()
	n := few()
	if pick(4) == 0 {
		n = pick(25)
	}
	if n > 10 && (t.Elem().Kind() > reflect.Complex128 && t.Elem().Kind() != reflect.String || t.Key().Size() > 64) {
		n = pick(9)
	}
	m := reflect.MakeMapWithSize(t, pick(2)*pick(20))
	var keys []reflect.Value
	add := func(n int) {
		for i := 0; i < n; i++ {
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			fill(k, true, depth)
			fill(e, false, depth)
			m.SetMapIndex(k, e)
			keys = append(keys, k)
		}
	}
	add(n)
	if pick(4) == 0 {
		for _, k := range keys {
			if pick(2) == 0 {
				m.SetMapIndex(k, reflect.Value{})
			}
		}
		add(pick(4))
	}
	v.Set(m)
}

func channel(v reflect.Value, depth int) {
	t := v.Type()
	space := pick(5)
	c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), space)
	// Some go round.
	for i := 0; space > 0 && i < pick(4); i++ {
		c.Send(reflect.Zero(t.Elem()))
		c.Recv()
	}
	for i := pick(space + 1); i > 0; i-- {
		e := reflect.New(t.Elem()).Elem()
		fill(e, false, depth)
		c.Send(e)
		buffered[c.Pointer()] = append(buffered[c.Pointer()], e)
	}
	if pick(4) == 0 {
		c.Close()
		closed[c.Pointer()] = true
	}
	kept = append(kept, c)
	v.Set(c.Convert(t))
}

var kept []reflect.Value // else another could get the address

var fitting = map[reflect.Type][]reflect.Type{}

// inside puts something into an interface.
func inside(v reflect.Value, key bool, depth int) {
	t := v.Type()
	fit, ok := fitting[t]
	if !ok {
		for _, d := range dynamic {
			if d.Implements(t) {
				fit = append(fit, d)
			}
		}
		fitting[t] = fit
	}
	made := makers[t]
	if len(made) > 0 && (len(fit) == 0 || pick(2) == 0) && !key {
		v.Set(made[pick(len(made))]())
		return
	}
	if len(fit) == 0 {
		return
	}
	of := fit[pick(len(fit))]
	if key && !hashable(of) {
		return
	}
	x := reflect.New(of).Elem()
	fill(x, key, depth)
	v.Set(x)
}

// hashable says whether all values of the type can be keys, with what fill puts into its interfaces.
func hashable(t reflect.Type) bool { return t.Comparable() }

func integer() uint64 {
	x := next()
	switch pick(8) {
	case 0:
		return 0
	case 1:
		return x & 0xff
	case 2:
		return ^uint64(0)
	case 3:
		return 1 << (x & 63)
	case 4:
		return 1<<(x&63) - 1
	}
	return x
}

func number() float64 {
	x := next()
	switch pick(12) {
	case 0:
		return math.Inf(int(x&2) - 1)
	case 1:
		return math.NaN()
	case 2:
		return math.Copysign(0, -1)
	case 3:
		return math.MaxFloat64
	case 4:
		return math.SmallestNonzeroFloat64
	case 5:
		return math.Float64frombits(x)
	case 6:
		return float64(math.Float32frombits(uint32(x)))
	}
	return float64(int64(x)>>40) / 8
}

const letters = " abcdefghijklmnopqrstuvwxyzABCXYZ0123456789\"\\<>&/\n\t"

func text() string {
	n := pick(12)
	if pick(50) == 0 {
		n = 250 + pick(12)
	}
	b := make([]byte, n)
	binary := pick(8) == 0
	for i := range b {
		if binary {
			b[i] = byte(next())
		} else {
			b[i] = letters[pick(len(letters))]
		}
	}
	if pick(8) == 0 {
		return "äß€ \U0001f600" + string(b)
	}
	return string(b)
}

//go:noinline
func warm(x interface{}) { use(x) }

//go:noinline
func warmed(round int) { use(round) }

// The whole run: types are made known, then each of the drivers, in turn, on goroutines of their own.
func run(seed uint64, drivers []func()) {
	defer truth.Flush()
	state, goid = seed, thisGoroutine()
	stdin := bufio.NewReader(os.Stdin)
	for round := 0; round < 3; round++ {
		for _, t := range interfaces {
			for _, f := range makers[t] {
				warm(f().Interface())
			}
		}
		for _, t := range dynamic {
			for i := 0; i < 2; i++ {
				start()
				v := reflect.New(t).Elem()
				fill(v, false, 0)
				warm(v.Interface())
			}
		}
		warmed(round)
		if _, err := stdin.ReadString('\n'); err != nil {
			return
		}
	}
	for _, drive := range drivers {
		drive, done := drive, make(chan bool)
		go func() {
			defer close(done)
			goid = thisGoroutine()
			drive()
		}()
		<-done
	}
	fmt.Fprintln(truth, `{"event":"end"}`)
	truth.Flush()
	// tests/random/read asks for more.
	for {
		if _, err := stdin.ReadString('\n'); err != nil {
			return
		}
		fillVariables()
	}
}

// A package variable.
type packageVariable struct {
	name    string
	pointer interface{}
}

var variables []packageVariable

func hold(name string, pointer interface{}) {
	variables = append(variables, packageVariable{name, pointer})
}

// fillVariables gives each variable a new value, and says it.
func fillVariables() {
	for _, v := range variables {
		start()
		fillAll(v.pointer)
	}
	for _, v := range variables {
		line("variable", v.name, v.name, []interface{}{v.pointer})
	}
	fmt.Fprintln(truth, `{"event":"filled"}`)
	truth.Flush()
}
