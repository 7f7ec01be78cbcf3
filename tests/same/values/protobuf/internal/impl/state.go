// SPDX-License-Identifier: GPL-2.0

// A stand-in for the package of protobuf with the state of messages: names and layouts are what a tracer knows them by.
package impl

type MessageState struct {
	NoUnkeyedLiterals struct{}
	DoNotCompare      [0]func()
	DoNotCopy         [0]int
	Info              *MessageInfo
}

// MessageInfo is of a message's type.
type MessageInfo struct {
	Name   string
	Fields map[string]*MessageInfo
}
