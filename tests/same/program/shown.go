// SPDX-License-Identifier: GPL-2.0

// The part of each program that is the same in all: it keeps each value that a function was given
// in a package variable of the value's type, and passes each variable to a function that has a
// parameter of that type.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
)

// A package variable.
type sameVariable struct {
	pointer interface{} // to the variable
	show    func()      // passes it to a function
}

// sameVariables is what the generated part adds, in the order of sameKeep's calls.
var sameVariables []sameVariable

// sameTypes are those of the values, without the generated part.
var sameTypes []reflect.Type

// Variables of one program, at most.
const sameMost = 2500

var sameKept int

// sameKeep keeps the values that these pointers point to.
func sameKeep(pointers ...interface{}) {
	for _, p := range pointers {
		if sameKept == sameMost {
			return
		}
		v := reflect.ValueOf(p).Elem()
		if sameVariables == nil {
			sameTypes = append(sameTypes, v.Type())
		} else {
			reflect.ValueOf(sameVariables[sameKept].pointer).Elem().Set(v)
		}
		sameKept++
	}
}

// sameRound is called behind each round.
//
//go:noinline
func sameRound(round int) int { return round }

func main() {
	// A lock, a channel and a map are then as they were left.
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	sameMain()
	if path := os.Getenv("SAME_DECLARE"); path != "" {
		sameDeclare(path)
		return
	}
	if sameKept != len(sameVariables) {
		fmt.Fprintf(os.Stderr, "%d values, and %d variables\n", sameKept, len(sameVariables))
		os.Exit(1)
	}
	in := bufio.NewReader(os.Stdin)
	fmt.Fprintln(os.Stderr, "ready")
	for round := 1; ; round++ {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		for _, v := range sameVariables {
			v.show()
		}
		sameRound(round)
	}
}

// sameSource spells types as Go does.
type sameSource struct{ imports map[string]bool }

var sameQualified = regexp.MustCompile(`([\w.\-]+/)*[\w\-]+\.`)

func (s *sameSource) qualify(path string) string {
	if path == "main" {
		return ""
	}
	s.imports[path] = true
	return path[strings.LastIndexByte(path, '/')+1:] + "."
}

func (s *sameSource) list(n int, at func(int) reflect.Type) []string {
	var all []string
	for i := 0; i < n; i++ {
		all = append(all, s.of(at(i)))
	}
	return all
}

func (s *sameSource) fields(t reflect.Type) string {
	var all []string
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		text := s.of(f.Type)
		if !f.Anonymous {
			text = f.Name + " " + text
		}
		if f.Tag != "" {
			text += " " + strconv.Quote(string(f.Tag))
		}
		all = append(all, text)
	}
	return "struct { " + strings.Join(all, "; ") + " }"
}

func (s *sameSource) signature(t reflect.Type) string {
	in := s.list(t.NumIn(), t.In)
	if t.IsVariadic() {
		in[len(in)-1] = "..." + in[len(in)-1][2:]
	}
	return "(" + strings.Join(in, ", ") + ") (" + strings.Join(s.list(t.NumOut(), t.Out), ", ") + ")"
}

func (s *sameSource) of(t reflect.Type) string {
	if t.Name() != "" {
		// Type arguments have the paths of their packages.
		name := sameQualified.ReplaceAllStringFunc(t.Name(), func(q string) string { return s.qualify(q[:len(q)-1]) })
		if t.PkgPath() == "" {
			return name
		}
		return s.qualify(t.PkgPath()) + name
	}
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + s.of(t.Elem())
	case reflect.Slice:
		return "[]" + s.of(t.Elem())
	case reflect.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), s.of(t.Elem()))
	case reflect.Map:
		return "map[" + s.of(t.Key()) + "]" + s.of(t.Elem())
	case reflect.Chan:
		return t.ChanDir().String() + " (" + s.of(t.Elem()) + ")"
	case reflect.Func:
		return "func" + s.signature(t)
	case reflect.Struct:
		return s.fields(t)
	case reflect.Interface:
		var all []string
		for i := 0; i < t.NumMethod(); i++ {
			all = append(all, t.Method(i).Name+s.signature(t.Method(i).Type))
		}
		return "interface { " + strings.Join(all, "; ") + " }"
	}
	return t.String()
}

// sameDeclare writes the generated part.
func sameDeclare(path string) {
	s := sameSource{imports: map[string]bool{}}
	shows := map[string]int{}
	var variables, functions, list, head strings.Builder
	for i, t := range sameTypes {
		source := s.of(t)
		n, known := shows[source]
		if !known {
			n = len(shows)
			shows[source] = n
			fmt.Fprintf(&functions, "//go:noinline\nfunc sameShow%d(v %s) (r %s) { return v }\n\n", n, source, source)
		}
		fmt.Fprintf(&variables, "var X%d %s\n", i, source)
		fmt.Fprintf(&list, "\t\t{&X%d, func() { sameShow%d(X%d) }},\n", i, n, i)
	}
	var imports []string
	for p := range s.imports {
		imports = append(imports, p)
	}
	sort.Strings(imports)
	head.WriteString("package main\n\n")
	for _, p := range imports {
		fmt.Fprintf(&head, "import %q\n", p)
	}
	text := head.String() + "\n" + variables.String() + "\n" + functions.String() +
		"func init() {\n\tsameVariables = []sameVariable{\n" + list.String() + "\t}\n}\n"
	f, err := os.Create(path)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
