// SPDX-License-Identifier: GPL-2.0

// calls prints how often each function of a program was called, "CALLS NAME", from what a build with
// -cover has counted: how often its first block was executed. NAME has no type arguments.
//
//	calls PROFILE <PACKAGES
//
// PROFILE comes from "go tool covdata textfmt", PACKAGES has a line "IMPORT-PATH DIRECTORY" for each package. Functions of one name
// ("init", "_") and literals are left out.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// A place in a file, as the profile and the parser number it.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// A block of a file, and how often it was executed.
type block struct {
	begin place
	count int64
}

func fail(why ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"calls:"}, why...)...)
	os.Exit(1)
}

// blocks reads "import/path/file.go:1.2,3.4 STATEMENTS COUNT" lines, by file.
func blocks(profile string) map[string][]block {
	f, err := os.Open(profile)
	if err != nil {
		fail(err)
	}
	defer f.Close()
	found := map[string][]block{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var b block
		var end place
		var statements int

		name, rest, ok := strings.Cut(lines.Text(), ".go:")
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &b.begin.line, &b.begin.column,
			&end.line, &end.column, &statements, &b.count); err != nil {
			fail(lines.Text(), err)
		}
		found[name+".go"] = append(found[name+".go"], b)
	}
	for _, v := range found {
		sort.Slice(v, func(i, k int) bool { return v[i].begin.before(v[k].begin) })
	}
	return found
}

// receiver is "(*T)" or "T".
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return "(*" + receiver(t.X) + ")"
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// symbol is the name that the linker knows.
func symbol(importPath, name string, d *ast.FuncDecl) string {
	if name == "main" {
		importPath = "main"
	}
	last := path.Base(importPath)
	importPath = importPath[:len(importPath)-len(last)] + strings.ReplaceAll(last, ".", "%2e")
	if d.Recv != nil && len(d.Recv.List) == 1 {
		return importPath + "." + receiver(d.Recv.List[0].Type) + "." + d.Name.Name
	}
	return importPath + "." + d.Name.Name
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: calls PROFILE <PACKAGES")
	}
	dirs := map[string]string{}
	packages := bufio.NewScanner(os.Stdin)
	for packages.Scan() {
		if name, dir, ok := strings.Cut(packages.Text(), " "); ok {
			dirs[name] = dir
		}
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for file, v := range blocks(os.Args[1]) {
		dir, ok := dirs[path.Dir(file)]
		if !ok {
			fail("no directory is known for", path.Dir(file))
		}
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, filepath.Join(dir, path.Base(file)), nil, 0)
		if err != nil {
			fail(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || f.Name.Name == "_" || f.Name.Name == "init" && f.Recv == nil {
				continue
			}
			from, to := files.Position(f.Body.Lbrace), files.Position(f.Body.Rbrace)
			i := sort.Search(len(v), func(i int) bool { return !v[i].begin.before(place{from.Line, from.Column}) })
			if i < len(v) && v[i].begin.before(place{to.Line, to.Column}) {
				fmt.Fprintln(out, v[i].count, symbol(path.Dir(file), tree.Name.Name, f))
			}
		}
	}
}
