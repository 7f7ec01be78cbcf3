// SPDX-License-Identifier: GPL-2.0

package goprobe

const haveTestCode = true

// selfTestRun runs into the code of the module's self-test, with rounds in both its registers.
func selfTestRun(rounds uint32)

// selfTestAddress is where GOPROBE_SELF_TEST_CODE stands.
func selfTestAddress() uintptr

// selfTestCall is a NOP and a RET.
func selfTestCall()

func selfTestCallAddress() uintptr
