// SPDX-License-Identifier: GPL-2.0

// What generated code uses.
package protoimpl

import "google.golang.org/protobuf/internal/impl"

type (
	MessageState    = impl.MessageState
	MessageInfo     = impl.MessageInfo
	SizeCache       = int32
	UnknownFields   = []byte
	ExtensionFields = map[int32]interface{}
)
