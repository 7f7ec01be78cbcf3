// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"math/bits"
	"time"
)

// Buckets: four for each power of two, as those of "goprobectl latency".
const latencyBuckets = 252

// Latency is how long calls took.
type Latency struct {
	Count         uint64
	Sum, Min, Max time.Duration
	buckets       [latencyBuckets]uint64
}

func bucketOf(n uint64) int {
	if n < 4 {
		return int(n)
	}
	b := bits.Len64(n) - 1
	return 4*(b-1) + int(n>>(b-2)&3)
}

// bucketStart is where a bucket begins.
func bucketStart(i int) uint64 {
	if i < 4 {
		return uint64(i)
	}
	return uint64(4+i%4) << (i/4 - 1)
}

// Add counts a call that took d.
func (l *Latency) Add(d time.Duration) {
	if l.Count == 0 || d < l.Min {
		l.Min = d
	}
	if d > l.Max {
		l.Max = d
	}
	l.Count++
	l.Sum += d
	l.buckets[bucketOf(uint64(d))]++
}

// Mean is the average; 0 without calls.
func (l *Latency) Mean() time.Duration {
	if l.Count == 0 {
		return 0
	}
	return l.Sum / time.Duration(l.Count)
}

// Quantile is what a part q (0.99) of the calls were within, off by an eighth at most.
func (l *Latency) Quantile(q float64) time.Duration {
	if l.Count == 0 {
		return 0
	}
	rank := uint64(q*float64(l.Count-1)) + 1
	for i, n := range l.buckets {
		if rank > n {
			rank -= n
			continue
		}
		middle := time.Duration((bucketStart(i) + bucketStart(i+1)) / 2)
		if middle < l.Min {
			return l.Min
		}
		if middle > l.Max {
			return l.Max
		}
		return middle
	}
	return l.Max
}
