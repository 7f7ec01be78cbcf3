// SPDX-License-Identifier: GPL-2.0

// instrument is what makes the functions of a program keep what they are given.
//
//	instrument FILE.go...
//
// Each function of FILE.go that must not be inlined gets a call of sameKeep, and its parameters without a name get one. The file's
// main becomes sameMain. Files are changed in place.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"sort"
	"strings"
)

// A piece of text that takes the place of length bytes.
type change struct {
	at, length int
	text       string
}

// A file's changes.
type file struct {
	fset    *token.FileSet
	changes []change
	names   int
}

func (f *file) put(at token.Pos, length int, text string) {
	f.changes = append(f.changes, change{f.fset.Position(at).Offset, length, text})
}

func (f *file) newName() string {
	f.names++
	return fmt.Sprintf("same%d", f.names)
}

// parameters adds pointers to those of a list to all.
func (f *file) parameters(list *ast.FieldList, all []string) []string {
	if list == nil {
		return all
	}
	for _, field := range list.List {
		if len(field.Names) == 0 {
			name := f.newName()
			f.put(field.Type.Pos(), 0, name+" ")
			all = append(all, "&"+name)
		}
		for _, n := range field.Names {
			name := n.Name
			if name == "_" {
				name = f.newName()
				f.put(n.Pos(), 1, name)
			}
			all = append(all, "&"+name)
		}
	}
	return all
}

func isKept(d *ast.FuncDecl) bool {
	if d.Doc == nil || d.Body == nil {
		return false
	}
	for _, c := range d.Doc.List {
		if strings.HasPrefix(c.Text, "//go:noinline") {
			return true
		}
	}
	return false
}

func instrument(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	f := &file{fset: token.NewFileSet()}
	parsed, err := parser.ParseFile(f.fset, path, text, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if d.Recv == nil && d.Name.Name == "main" {
			f.put(d.Name.Pos(), len("main"), "sameMain")
		}
		if !isKept(d) {
			continue
		}
		if all := f.parameters(d.Type.Params, f.parameters(d.Recv, nil)); len(all) > 0 {
			f.put(d.Body.Lbrace+1, 0, " sameKeep("+strings.Join(all, ", ")+");")
		}
	}
	sort.Slice(f.changes, func(i, j int) bool { return f.changes[i].at > f.changes[j].at })
	changed := string(text)
	for _, c := range f.changes {
		changed = changed[:c.at] + c.text + changed[c.at+c.length:]
	}
	return os.WriteFile(path, []byte(changed), 0o644)
}

func main() {
	for _, path := range os.Args[1:] {
		if err := instrument(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
