// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// changed is the test's plan with something else in it.
func changed(t *testing.T, old, new string) (*Plan, error) {
	if strings.Count(testPlanText(), old) == 0 {
		t.Fatalf("the plan has no %s", old)
	}
	return ReadPlan(strings.NewReader(strings.Replace(testPlanText(), old, new, 1)))
}

// TestOtherPlansAreRefused: a plan of another goprobectl, or one that was damaged, may say anything.
func TestOtherPlansAreRefused(t *testing.T) {
	for _, c := range [][2]string{
		{`"gotypes":[{`, `"gotypes":[null,{`},
		{`"files":[{`, `"files":[null,{`},
		{`"point":48`, `"point":96000`},
		{`"type":12,"ref":20`, `"type":4611686018427387904,"ref":20`},
		{`"layout":{}`, `"layout":{"chan_size":96,"chan_qcount":89}`},
		{`"layout":{}`, `"layout":{"chan_size":96,"chan_closed":93}`},
		{`"layout":{}`, `"layout":{"chan_size":96,"chan_timer":18446744073709551615}`},
		{`"layout":{}`, `"layout":{"sudog_size":7}`},
		{`"layout":{}`, `"layout":{"hmap_size":48,"hmap_b":48}`},
		{`"layout":{}`, `"layout":{"hmap_size":48,"hmap_oldbuckets":41}`},
		{`"layout":{}`, `"layout":{"swiss_size":16,"swiss_dir_len":16}`},
		{`"layout":{}`, `"layout":{"swiss_table_size":16,"swiss_table_mask":9}`},
	} {
		if _, err := changed(t, c[0], c[1]); err == nil || !strings.HasPrefix(err.Error(), "the plan is damaged: ") {
			t.Errorf("%s: %v", c[1], err)
		}
	}
}

// lineOf gives main.f's call, whose first argument is of that type, with a word that leads to 0xc100, where
// there are so many bytes.
func lineOf(t *testing.T, typ, layout string, there int) string {
	text := strings.Replace(testPlanText(), `"gotypes":[{"kind":"int","name":"int","size":8}`, `"gotypes":[`+typ, 1)
	p, err := ReadPlan(strings.NewReader(strings.Replace(text, `"layout":{}`, `"layout":{`+layout+`}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	body := append(quads(0xc100, 1, 2), part(0xc100, 0xffffffff, 0, make([]byte, there))...)
	line := ""
	s := newStream(p, 0, func(e *Event) {
		b, err := e.MarshalJSON()
		if err != nil || !json.Valid(b) {
			t.Errorf("%s: %v", b, err)
		}
		line = string(b)
		for _, v := range e.Values {
			_, _, _ = v.Len(), v.Index(0).Err(), v.Entries()
		}
	})
	s.add(0, rec(recordAt, 4, 2, 5, 100, 1000, body))
	s.round(^uint64(0), 0)
	return line
}

// TestLayoutsThatAreNotKnown: a record can have a channel or a map all the same.
func TestLayoutsThatAreNotKnown(t *testing.T) {
	channel := `{"kind":"chan","name":"chan int","size":8,"elem":1}`
	swiss := `{"kind":"map","name":"map[int]int","size":8,"key":5,"elem":5,"map":{"swiss":true,"size":136,"key_at":8,"key_stride":16,"elem_at":16,"elem_stride":16}}`
	for i, c := range []struct{ typ, layout, want string }{
		{channel, ``, `"unavailable":"unknown layout"`},
		{channel, `"chan_size":96,"chan_dataqsiz":8,"chan_buf":16,"chan_closed":28,"chan_recvx":48,"chan_recvq":56,"chan_sendq":72`,
			`"len":0,"cap":0,"closed":false,"receivers":0,"senders":0,"elements":[]`},
		{swiss, ``, `"unavailable":"unknown layout"`},
		{swiss, `"swiss_size":48,"swiss_dir_ptr":16,"swiss_dir_len":24`, `"unavailable":"unknown layout"`},
		{swiss, `"swiss_size":48,"swiss_dir_ptr":16,"swiss_dir_len":24,"swiss_table_size":32,"swiss_table_groups":16`, `"len":0,"entries":[]`},
	} {
		if line := lineOf(t, c.typ, c.layout, 96); !strings.Contains(line, c.want) {
			t.Errorf("%d: %s", i, line)
		}
	}
}

// TestWaitingOfAnUnknownLayout: the layout of channels says nothing of that of who waits for them.
func TestWaitingOfAnUnknownLayout(t *testing.T) {
	w := &world{r: &record{chunks: []chunk{{address: 0xc100, data: make([]byte, 8)}}}, file: &planFile{}}
	for _, address := range []uint64{0xc100, 0xdead} {
		if n, more := w.waiting(address); n != 1 || !more {
			t.Errorf("%s: %d wait, %v", fmt.Sprintf("%#x", address), n, more)
		}
	}
}
