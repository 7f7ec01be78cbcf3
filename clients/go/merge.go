// SPDX-License-Identifier: GPL-2.0

package goprobe

import "container/heap"

// queue has the records of one CPU. Its own order always wins: time never falls.
type queue struct {
	cpu  uint32
	b    []byte
	time uint64
	size int
	// bytes at its end that each has not seen
	fresh int
}

func (q *queue) head() {
	size, time, _ := peek(q.b)
	q.size = size
	if time > q.time {
		q.time = time
	}
}

// merge puts the records of all CPUs in the order of their times.
type merge struct {
	byCPU map[uint32]*queue
	heap  []*queue
}

func (m *merge) Len() int { return len(m.heap) }
func (m *merge) Less(i, j int) bool {
	a, b := m.heap[i], m.heap[j]
	return a.time < b.time || a.time == b.time && a.cpu < b.cpu
}
func (m *merge) Swap(i, j int) { m.heap[i], m.heap[j] = m.heap[j], m.heap[i] }
func (m *merge) Push(x any)    { m.heap = append(m.heap, x.(*queue)) }
func (m *merge) Pop() any {
	q := m.heap[len(m.heap)-1]
	m.heap = m.heap[:len(m.heap)-1]
	return q
}

// add takes whole records of one CPU; false: it ends in something else.
func (m *merge) add(cpu uint32, b []byte) bool {
	good := 0
	for good < len(b) {
		size, _, ok := peek(b[good:])
		if !ok {
			break
		}
		good += size
	}
	if good > 0 {
		if m.byCPU == nil {
			m.byCPU = make(map[uint32]*queue)
		}
		q := m.byCPU[cpu]
		if q == nil {
			q = &queue{cpu: cpu}
			m.byCPU[cpu] = q
		}
		q.fresh += good
		empty := len(q.b) == 0
		if empty {
			q.b = b[:good:good]
			q.head()
			heap.Push(m, q)
		} else {
			q.b = append(q.b, b[:good]...)
		}
	}
	return good == len(b)
}

// each hands out all records that wait and were not handed out yet.
func (m *merge) each(fn func(b []byte)) {
	for _, q := range m.heap {
		for at := len(q.b) - q.fresh; at < len(q.b); {
			size, _, _ := peek(q.b[at:])
			fn(q.b[at : at+size : at+size])
			at += size
		}
		q.fresh = 0
	}
}

// next is the earliest record that is not younger than until, or nil. It is good until the next add.
func (m *merge) next(until uint64) []byte {
	if len(m.heap) == 0 || m.heap[0].time > until {
		return nil
	}
	q := m.heap[0]
	b := q.b[:q.size:q.size]
	if q.b = q.b[q.size:]; len(q.b) > 0 {
		q.head()
		heap.Fix(m, 0)
	} else {
		q.b = nil
		heap.Pop(m)
	}
	return b
}
