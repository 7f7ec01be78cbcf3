// SPDX-License-Identifier: GPL-2.0

// Package kinds has the same name as another one.
package kinds

type Pair struct {
	A, B int8
}
