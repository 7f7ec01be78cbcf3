// SPDX-License-Identifier: GPL-2.0

//go:build go1.20

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

func joined() {
	two := errors.Join(errors.New("one"), fmt.Errorf("two: %w", io.EOF))
	both := fmt.Errorf("both: %w, %w", two, &coded{7})
	nested := errors.Join(two, both, errors.Join(&held{&stated{&said{9, "in a join"}}}))
	all, any := []error{two, both, nested}, interface{}(nested)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(nested)
	sameKeep(&two, &both, &nested, &all, &any, &ctx)
}
