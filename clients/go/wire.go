// SPDX-License-Identifier: GPL-2.0

package goprobe

import "encoding/binary"

// Numbers of include/uapi/goprobe.h; a test holds them against it.
const (
	familyName = "goprobe"

	cmdGetInfo    = 1
	cmdSessionNew = 2
	cmdFileAdd    = 3
	cmdTypesAdd   = 4
	cmdPlansAdd   = 5
	cmdPointsAdd  = 6
	cmdStart      = 7
	cmdStop       = 8
	cmdRead       = 9
	cmdReady      = 10
	cmdGetStats   = 11
	cmdDynamicAdd = 13
	cmdFiltersAdd = 15
	cmdPointsDel  = 18

	aVersion   = 2
	aAbilities = 3
	aLimits    = 4
	aRingBytes = 6
	aPids      = 7
	aFd        = 8
	aRuntime   = 9
	aFile      = 10
	aTypes     = 11
	aRefs      = 12
	aPlans     = 13
	aPieces    = 14
	aPoints    = 15
	aFirst     = 16
	aCPU       = 18
	aRecords   = 19
	aTime      = 20
	aBacklog   = 21
	aStats     = 22
	aFlags     = 25
	aDynamic   = 26
	aOps       = 27
	aFilters   = 30
	aHeld      = 31
	aIDs       = 35
	aBreaker   = 36
	aStates    = 37

	abilityUntested = 1 << 3
	abilityFilter   = 1 << 5

	sessionLossless = 1 << 0
	sessionFd       = 1 << 2

	recordCall   = 1
	recordReturn = 2
	recordTail   = 3
	recordLost   = 4
	recordAt     = 5

	flagNoG    = 1 << 0
	flagSystem = 1 << 1
	flagFault  = 1 << 2
	flagBudget = 1 << 3
	flagHeld   = 1 << 4
	flagSplit  = 1 << 5

	pointCall      = 1
	pointReturn    = 2
	pointSelfTest  = 4
	regNone        = 0xff
	selfTestRounds = 32
	selfTestCode   = "\xff\xc9\xff\xca\x75\xfa\xc3"

	noPlan     = 0xffffffff
	typeItab   = 0xfffffffe
	typeCode   = 0xfffffffd
	typeMissed = 0xfffffffc

	refIface         = 4
	refEface         = 5
	refFlagSameLevel = 1 << 0

	chunkFault  = 1
	chunkRemote = 2
	chunkBad    = 3
	chunkNil    = 4
	chunkRange  = 5
	chunkType   = 6
	chunkUnused = 7
	chunkLocked = 8

	lostRingFull = 1
	lostNoRing   = 2

	statCalls        = 0
	statReturns      = 1
	statLostRingFull = 2
	statLostNoRing   = 3
	statWaits        = 8
	statWaitNs       = 9
	statNoRoom       = 13
	statFiltered     = 16
	statUndecided    = 17
	statBroken       = 19
	statLimited      = 21
	statSampled      = 22
	statMost         = 64 // more than there are
)

// Sizes of structs that records are made of.
const (
	recordBytes = 48
	chunkBytes  = 16
	lostBytes   = 16
)

// Where struct goprobe_limits has what matters here.
const (
	limitsPoints    = 4 * 1
	limitsBatch     = 4 * 11
	limitsHeldBytes = 4 * 19
)

// All that is known to run goprobe.ko is little-endian.
var order = binary.LittleEndian

func u16At(b []byte, at int) uint16 { return order.Uint16(b[at:]) }
func u32At(b []byte, at int) uint32 { return order.Uint32(b[at:]) }
func u64At(b []byte, at int) uint64 { return order.Uint64(b[at:]) }
