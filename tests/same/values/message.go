// SPDX-License-Identifier: GPL-2.0

package main

import "google.golang.org/protobuf/runtime/protoimpl"

// Message is like what protoc-gen-go generates.
type Message struct {
	state         protoimpl.MessageState
	sizeCache     protoimpl.SizeCache
	unknownFields protoimpl.UnknownFields

	Name   string
	Parts  []*Message
	By     map[string]*Message
	Number *int32
	// Types that are assignable to Which:
	//	*Message_Text
	//	*Message_Child
	Which isMessage_Which
}

type isMessage_Which interface{ isMessage_Which() }

type Message_Text struct{ Text string }

type Message_Child struct{ Child *Message }

func (*Message_Text) isMessage_Which()  {}
func (*Message_Child) isMessage_Which() {}

func messages() {
	info := &protoimpl.MessageInfo{Name: "Message", Fields: map[string]*protoimpl.MessageInfo{}}
	info.Fields["self"] = info
	n := int32(7)
	child := &Message{Name: "child", Number: &n, Which: &Message_Text{"text"}}
	m := &Message{Name: "top", Parts: []*Message{child, nil}, By: map[string]*Message{"c": child}, Which: &Message_Child{child}}
	m.state.Info = info
	m.unknownFields = []byte{8, 1}
	any := interface{}(m)
	all := []*Message{m, child}
	sameKeep(&m, &child, &any, &all)
}
