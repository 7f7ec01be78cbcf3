// SPDX-License-Identifier: GPL-2.0

//go:build go1.24

package main

import "crypto/fips140"

func init() { enabled = fips140.Enabled }
