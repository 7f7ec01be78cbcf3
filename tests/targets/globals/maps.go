// SPDX-License-Identifier: GPL-2.0

package main

import "fmt"

// user is kept behind a pointer in a map: it has more than 128 bytes.
type user struct {
	ID                                            int64
	Name, Mail, Street, City, Zip, Country, Phone string
	Tags                                          []string
}

type wide [19]int

func anyUser(n int64) user {
	return user{ID: n, Name: fmt.Sprint("user ", n), Tags: []string{"t", "u"}}
}

var Map = keep("Map", map[string]int{"one": 1, "two": 2})
var MapOfPointers = keep("MapOfPointers", map[int]*point{1: {1, 2}, 2: {3, 4}})
var MapNested = keep("MapNested", map[string]map[string]*point{"a": {"b": {5, 6}}, "c": nil})
var MapEmpty = keep("MapEmpty", map[string]int{})
var MapNil = keep[map[string]int]("MapNil", nil)
var MapSet = keep("MapSet", map[point]struct{}{{1, 2}: {}, {3, 4}: {}})
var MapWideElems = keep("MapWideElems", map[string]user{"u": anyUser(5), "v": anyUser(6)})
var MapWideKeys = keep("MapWideKeys", map[wide]string{{1: 2}: "a", {3: 4}: "b"})
var MapWideBoth = keep("MapWideBoth", map[wide]wide{{1: 2}: {3: 4}})
var MapExact = keep("MapExact", map[[16]int64][16]int64{{1: 2}: {3: 4}})
var MapGrown = keep("MapGrown", filled(60))
var MapLarge = keep("MapLarge", filled(3000))
var MapShrunk = keep("MapShrunk", shrunk())
var MapAny = keep("MapAny", map[any]any{1: "a", "b": 2, point{1, 2}: &point{3, 4}})
var MapPointer = keep("MapPointer", &MapNested)
var MapsInStruct = keep("MapsInStruct", struct {
	A map[string]user
	B *map[int]string
}{map[string]user{"x": anyUser(7)}, &map[int]string{1: "one"}})

func filled(n int) map[int]string {
	m := map[int]string{}
	for i := 0; i < n; i++ {
		m[i] = fmt.Sprint(i)
	}
	return m
}

func shrunk() map[int]string {
	m := filled(1000)
	for i := 0; i < 990; i++ {
		delete(m, i)
	}
	return m
}
