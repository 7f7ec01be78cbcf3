// SPDX-License-Identifier: GPL-2.0

package main

import (
	"sync"
	"sync/atomic"
)

type Guarded struct {
	sync.Mutex
	Items map[string]int
	RW    sync.RWMutex
	Once  sync.Once
}

//go:noinline
func mutexes(m *sync.Mutex, n int) (int, *sync.Mutex) { visits++; return n, m }

//go:noinline
func rwMutexes(m *sync.RWMutex, n int) (int, *sync.RWMutex) { visits++; return n, m }

//go:noinline
func waitGroups(w *sync.WaitGroup, n int) (int, *sync.WaitGroup) { visits++; return n, w }

//go:noinline
func onces(o *sync.Once, n int) (int, *sync.Once) { visits++; return n, o }

//go:noinline
func guarded(g *Guarded, n int) (int, *Guarded) { visits++; return n, g }

//go:noinline
func atomicValues(v *atomic.Value, n int) (int, *atomic.Value) { visits++; return n, v }

func visitSync() {
	var m sync.Mutex
	mutexes(nil, 0)
	mutexes(&m, 1)
	m.Lock()
	mutexes(&m, 2)
	for i := 0; i < 2; i++ {
		go func() { m.Lock(); m.Unlock() }()
	}
	// "semacquire", and since Go 1.20 "sync.Mutex.Lock".
	awaitBlocked("sync.(*Mutex).lockSlow", 2)
	awaitBlocked("runtime_SemacquireMutex", 2)
	mutexes(&m, 3)
	m.Unlock()
	awaitEnd()
	var rw sync.RWMutex
	rwMutexes(&rw, 1)
	rw.RLock()
	rw.RLock()
	rwMutexes(&rw, 2)
	rw.RUnlock()
	rw.RUnlock()
	rw.Lock()
	rwMutexes(&rw, 3)
	rw.Unlock()
	var w sync.WaitGroup
	waitGroups(&w, 1)
	w.Add(3)
	waitGroups(&w, 2)
	go w.Wait()
	awaitBlocked("runtime_Semacquire", 1)
	waitGroups(&w, 3)
	w.Add(-3)
	awaitEnd()
	var once sync.Once
	onces(&once, 1)
	once.Do(visitNothing)
	onces(&once, 2)
	g := &Guarded{Items: map[string]int{"g": 1}}
	g.Lock()
	guarded(g, 1)
	var value atomic.Value
	atomicValues(&value, 1)
	value.Store("stored")
	atomicValues(&value, 2)
}
