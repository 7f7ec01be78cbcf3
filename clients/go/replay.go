// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// Entries of a recording (tool/recording/format.h).
const (
	recordingStart   = 3
	recordingRecords = 4
	recordingPass    = 5
	recordingEnd     = 8
	recordingEpoch   = 9
	recordingMost    = 1 << 20
	recordingVersion = 3
)

// Replay reads what "goprobectl attach --record" has written and calls fn with each event. The
// plan must be of the same program, specs and options.
func (p *Plan) Replay(r io.Reader, fn func(*Event)) (Counts, error) {
	in := bufio.NewReaderSize(r, 1<<18)
	head := make([]byte, 16)
	if _, err := io.ReadFull(in, head); err != nil && cutShort(err) != io.EOF {
		return Counts{}, err
	} else if err != nil || string(head[:8]) != "goprobe\n" || u32At(head, 8) != 0x01020304 {
		return Counts{}, errors.New("this is no recording")
	}
	if v := u32At(head, 12); v != recordingVersion {
		return Counts{}, fmt.Errorf("a recording of version %d, and this package knows %d", v, recordingVersion)
	}
	s := newStream(p, 0, fn)
	// It was learned then, in an order of its own.
	s.learn = nil
	var lost uint64
	for {
		kind, cpu, b, err := recordingEntry(in)
		if err == io.EOF {
			s.round(^uint64(0), lost)
			return s.counts, nil
		}
		if err != nil {
			return s.counts, err
		}
		switch kind {
		case recordingStart:
			if len(b) < 24 {
				return s.counts, errors.New("the recording is damaged")
			}
			s.epoch = u64At(b, 16)
		case recordingRecords:
			s.add(cpu, b)
		case recordingPass:
			if len(b) < 8 {
				return s.counts, errors.New("the recording is damaged")
			}
			for lost = 0; len(b) >= 16; b = b[:len(b)-8] {
				lost += u64At(b, len(b)-8)
			}
			s.round(u64At(b, 0), lost)
		case recordingEpoch:
			if len(b) < 8 {
				return s.counts, errors.New("the recording is damaged")
			}
			s.epoch = u64At(b, 0)
		case recordingEnd:
			s.counts.Ended = true
		}
	}
}

func recordingEntry(in *bufio.Reader) (kind, cpu uint32, b []byte, err error) {
	mark := make([]byte, 16)
	if _, err = io.ReadFull(in, mark); err != nil {
		return 0, 0, nil, cutShort(err)
	}
	kind, cpu = u32At(mark, 0), u32At(mark, 8)
	size := int64(u32At(mark, 4))
	if size > recordingMost {
		return 0, 0, nil, errors.New("the recording is damaged: an entry is too large")
	}
	b = make([]byte, (size+7)&^7)
	if _, err = io.ReadFull(in, b); err != nil {
		return 0, 0, nil, cutShort(err)
	}
	return kind, cpu, b[:size], nil
}

// cutShort: what is cut short ends there; what can't be read is no end.
func cutShort(err error) error {
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}
