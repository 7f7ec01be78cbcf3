// SPDX-License-Identifier: GPL-2.0

//go:build !amd64

package goprobe

const haveTestCode = false

func selfTestRun(uint32)           {}
func selfTestAddress() uintptr     { return 0 }
func selfTestCall()                {}
func selfTestCallAddress() uintptr { return 0 }
