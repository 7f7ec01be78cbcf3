// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// enumerators are those of the header, and its plain defines.
func enumerators(t *testing.T) map[string]int64 {
	text, err := os.ReadFile("../../include/uapi/goprobe.h")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(string(text), "")
	found := make(map[string]int64)
	for _, body := range regexp.MustCompile(`(?s)enum \w+ \{(.*?)\}`).FindAllStringSubmatch(code, -1) {
		for i, item := range strings.Split(body[1], ",") {
			if name := strings.TrimSpace(item); regexp.MustCompile(`^\w+$`).MatchString(name) {
				found[name] = int64(i)
			}
		}
	}
	define := regexp.MustCompile(`(?m)^#define (GOPROBE_\w+)\s+\(?(?:1U(?:LL)? << )?(0x[0-9a-f]+|\d+)U?\)?`)
	for _, d := range define.FindAllStringSubmatch(code, -1) {
		n, _ := strconv.ParseInt(d[2], 0, 64)
		if strings.Contains(d[0], "<<") {
			n = 1 << n
		}
		found[d[1]] = n
	}
	return found
}

func TestNumbersAreThoseOfTheHeader(t *testing.T) {
	header := enumerators(t)
	for name, got := range map[string]int64{
		"CMD_GET_INFO": cmdGetInfo, "CMD_SESSION_NEW": cmdSessionNew, "CMD_FILE_ADD": cmdFileAdd,
		"CMD_TYPES_ADD": cmdTypesAdd, "CMD_PLANS_ADD": cmdPlansAdd, "CMD_POINTS_ADD": cmdPointsAdd,
		"CMD_START": cmdStart, "CMD_STOP": cmdStop, "CMD_READ": cmdRead, "CMD_READY": cmdReady,
		"CMD_GET_STATS": cmdGetStats, "CMD_DYNAMIC_ADD": cmdDynamicAdd, "CMD_FILTERS_ADD": cmdFiltersAdd,
		"CMD_POINTS_DEL": cmdPointsDel, "A_IDS": aIDs, "A_BREAKER": aBreaker, "A_STATES": aStates,
		"ABILITY_UNTESTED": abilityUntested, "RECORD_AT": recordAt, "RECORD_F_SPLIT": flagSplit,
		"POINT_CALL": pointCall, "POINT_RETURN": pointReturn, "POINT_SELF_TEST": pointSelfTest,
		"REG_NONE": regNone, "SELF_TEST_SIZE": int64(len(selfTestCode)), "SELF_TEST_ROUNDS": selfTestRounds, "STAT_BROKEN": statBroken,
		"STAT_LIMITED": statLimited, "STAT_SAMPLED": statSampled,
		"A_VERSION": aVersion, "A_ABILITIES": aAbilities, "A_LIMITS": aLimits, "A_RING_BYTES": aRingBytes,
		"A_PIDS": aPids, "A_FD": aFd, "A_RUNTIME": aRuntime, "A_FILE": aFile, "A_TYPES": aTypes, "A_REFS": aRefs,
		"A_PLANS": aPlans, "A_PIECES": aPieces, "A_POINTS": aPoints, "A_FIRST": aFirst, "A_CPU": aCPU,
		"A_RECORDS": aRecords, "A_TIME": aTime, "A_BACKLOG": aBacklog, "A_STATS": aStats, "A_FLAGS": aFlags,
		"A_DYNAMIC": aDynamic, "A_OPS": aOps, "A_FILTERS": aFilters, "A_HELD": aHeld,
		"ABILITY_FILTER": abilityFilter, "SESSION_F_LOSSLESS": sessionLossless, "SESSION_F_FD": sessionFd,
		"RECORD_CALL": recordCall, "RECORD_RETURN": recordReturn, "RECORD_TAIL": recordTail, "RECORD_LOST": recordLost,
		"RECORD_F_NO_G": flagNoG, "RECORD_F_SYSTEM": flagSystem, "RECORD_F_FAULT": flagFault,
		"RECORD_F_BUDGET": flagBudget, "RECORD_F_HELD": flagHeld,
		"NO_PLAN": noPlan, "TYPE_MISSED": typeMissed, "TYPE_ITAB": typeItab, "TYPE_CODE": typeCode, "REF_IFACE": refIface, "REF_EFACE": refEface,
		"REF_F_SAME_LEVEL": refFlagSameLevel, "CHUNK_FAULT": chunkFault, "CHUNK_REMOTE": chunkRemote,
		"CHUNK_BAD": chunkBad, "CHUNK_NIL": chunkNil, "CHUNK_RANGE": chunkRange, "CHUNK_TYPE": chunkType, "CHUNK_UNUSED": chunkUnused,
		"CHUNK_LOCKED":   chunkLocked,
		"LOST_RING_FULL": lostRingFull, "LOST_NO_RING": lostNoRing,
		"STAT_CALLS": statCalls, "STAT_RETURNS": statReturns, "STAT_LOST_RING_FULL": statLostRingFull,
		"STAT_LOST_NO_RING": statLostNoRing, "STAT_WAITS": statWaits, "STAT_WAIT_NS": statWaitNs,
		"STAT_NO_ROOM": statNoRoom, "STAT_FILTERED": statFiltered, "STAT_UNDECIDED": statUndecided,
		"BUCKETS": latencyBuckets,
	} {
		if want, ok := header["GOPROBE_"+name]; !ok || want != got {
			t.Errorf("GOPROBE_%s is %d here and %d in the header", name, got, want)
		}
	}
}

// words makes a table of 32-bit words.
func words(v ...uint32) []byte {
	var b []byte
	for _, w := range v {
		b = order.AppendUint32(b, w)
	}
	return b
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

const bias = 0x7000

// testPlan is of main.f(n int8, s string, p *Point, e any, xs []int) (err error), and of the runtime's
// functions that tell of panics, and of a place in main.h(n int) with registers. Its types: 0 the frame,
// 1 Point, 2 int, 3 the result's frame, 4 the place's frame.
func testPlan(t *testing.T) *Plan {
	p, err := ReadPlan(strings.NewReader(testPlanText()))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func testPlanText() string {
	points := make([]byte, 0)
	for id := uint32(0); id < 5; id++ {
		for kind := byte(recordCall); kind <= recordAt; kind++ {
			point := make([]byte, 48)
			order.PutUint64(point, uint64(0x1000+0x100*id+uint32(kind)))
			order.PutUint32(point[8:], id)
			point[16] = kind
			points = append(points, point...)
		}
	}
	rt := make([]byte, 40)
	order.PutUint64(rt[32:], 0x400000)
	ref := func(offset, typ uint32, kind byte) []byte {
		return append(words(offset, typ, 0), kind, 0, 0, 0, 0, 0, 0, 0)
	}
	refs := append(ref(8, 0, 2), ref(24, 1, 1)...)
	refs = append(append(refs, ref(32, 0, refEface)...), ref(48, 2, 3)...)
	refs = append(refs, ref(0, 0, refIface)...)
	return fmt.Sprintf(`{"format":"goprobe plan","version":1,"protocol":1,"paired":true,"held_bytes":0,"times":2,
		"states":["running","chan"],"registers":["rax","rbx","rip"],
		"sizes":{"type":12,"ref":20,"plan":40,"piece":24,"op":32,"filter":8,"point":48,"dynamic":16},
		"types":%q,"refs":%q,"plans":%q,"pieces":"","ops":"","filters":"","filter_ops":"",
		"files":[{"path":"x","go":"go1.27","runtime":%q,"points":%q,"dynamic":"","layout":{},
			"known":[{"address":5242880,"name":"main.Point","type":3},{"address":5242944,"name":"int","type":0}]}],
		"funcs":[
		{"name":"main.f","file":0,"entry":4198400,"end":4198655,"call":{"size":72,"values":[
			{"name":"n","type":5,"offset":0},{"name":"s","type":1,"offset":8},{"name":"p","type":2,"offset":24},
			{"name":"e","type":4,"offset":32},{"name":"xs","type":6,"offset":48},
			{"name":"len(xs)","type":6,"offset":48,"steps":[{"step":"len"}],"steps_type":"int"},
			{"name":"e.(main.Point).Y","type":4,"offset":32,"steps":[{"step":"assert","name":"main.Point"},{"step":"field","name":"Y"}]}]},
			"ret":{"size":16,"values":[{"name":"err","type":7,"offset":0}]}},
		{"name":"main.g","file":0,"entry":4198656,"end":4198911,"call":{"size":0,"values":[]},"ret":{"size":0,"unavailable":"no types","values":[]}},
		{"name":"runtime.gopanic","file":0,"entry":4198912,"end":4199167,"hidden":true,"role":"panic",
			"call":{"size":16,"values":[{"name":"_","type":4,"offset":0}]},"ret":{"size":0,"values":[]}},
		{"name":"runtime.Goexit","file":0,"entry":4199168,"end":4199423,"hidden":true,"role":"goexit",
			"call":{"size":0,"values":[]},"ret":{"size":0,"values":[]}},
		{"name":"main.h","file":0,"entry":4199424,"end":4199679,"at":{"offset":5,"file":"/src/main.go","line":42,"inlined":"main.i","begins":true},
			"call":{"size":24,"registers":8,"values":[{"name":"n","type":0,"offset":0}]},"ret":{"size":0,"values":[]}}],
		"gotypes":[{"kind":"int","name":"int","size":8},{"kind":"string","name":"string","size":16},
		{"kind":"pointer","name":"*main.Point","size":8,"elem":3},
		{"kind":"struct","name":"main.Point","size":16,"fields":[{"name":"X","type":0,"offset":0},{"name":"Y","type":0,"offset":8}]},
		{"kind":"interface","name":"interface {}","size":16,"empty":true},{"kind":"int","name":"int8","size":1},
		{"kind":"slice","name":"[]int","size":24,"elem":0},{"kind":"interface","name":"error","size":16}]}`,
		b64(words(72, 0, 4, 16, 0, 0, 8, 0, 0, 16, 4, 1, 24, 0, 0)), b64(refs),
		b64(words(0, 0, 0, 0, 0, 256, 64, 256, 12288, 2, 3, 0, 0, 0, 0, 256, 64, 256, 12288, 2,
			4, 0, 0, 0, 0, 256, 64, 256, 12288, 2)), b64(rt), b64(points))
}

// rec makes a record; body is what stands behind its header.
func rec(kind byte, id, plan uint32, goid, depth, time uint64, body []byte) []byte {
	b := make([]byte, recordBytes, recordBytes+len(body))
	order.PutUint16(b, uint16((recordBytes+len(body))/8))
	b[2] = kind
	order.PutUint32(b[4:], uint32(depth))
	order.PutUint32(b[8:], id)
	order.PutUint32(b[12:], plan)
	order.PutUint32(b[16:], 11)
	order.PutUint32(b[20:], 10)
	order.PutUint64(b[24:], time)
	order.PutUint64(b[32:], goid)
	order.PutUint64(b[40:], uint64(0x400000+0x1000+0x100*id+uint32(kind))+bias)
	return append(b, body...)
}

func quads(v ...uint64) (b []byte) {
	for _, w := range v {
		b = order.AppendUint64(b, w)
	}
	return b
}

func part(address uint64, typ uint32, status byte, data []byte) []byte {
	b := order.AppendUint32(order.AppendUint64(nil, address), typ)
	b = append(order.AppendUint16(b, uint16(len(data))), status, 1)
	return append(append(b, data...), make([]byte, align8(len(data))-len(data))...)
}

func callOfF() []byte {
	body := quads(0xff, 0xc000, 5, 0xd000, 0x500000+bias, 0xe000, 0xf000, 3, 4)
	body = append(body, part(0xc000, 0xffffffff, 0, []byte("a\"\xffzz"))...)
	body = append(body, part(0xd000, 1, 0, quads(3, ^uint64(3)))...)
	body = append(body, part(0xe000, 1, 0, quads(7, 8))...)
	body = append(body, part(0xf000, 2, chunkFault, quads(1, 2))...)
	return rec(recordCall, 0, 0, 5, 100, 1000, body)
}

const callLine = `{"kind":"call","func":"main.f","pid":10,"tid":11,"goid":5,"time_ns":1000,"args":[` +
	`{"name":"n","type":"int8","value":-1},{"name":"s","type":"string","value":"a\"\udcffzz"},` +
	`{"name":"p","type":"*main.Point","value":"0xd000","to":{"X":3,"Y":-4}},` +
	`{"name":"e","type":"interface {}","value":{"type":"main.Point","address":"0xe000","value":{"X":7,"Y":8}}},` +
	`{"name":"xs","type":"[]int","value":[1,2],"truncated":true,"reason":"no readable memory","len":3},` +
	`{"name":"len(xs)","type":"int","value":3},{"name":"e.(main.Point).Y","type":"int","value":8}]}`

// play gives the events of records of one CPU each.
func play(t *testing.T, records ...[]byte) []*Event {
	var events []*Event
	s := newStream(testPlan(t), 0, func(e *Event) { events = append(events, e) })
	for i, b := range records {
		s.add(uint32(i), b)
	}
	s.round(^uint64(0), 0)
	if s.why != "" {
		t.Errorf("malformed: %s", s.why)
	}
	return events
}

func lines(t *testing.T, events []*Event) (ret []string) {
	for _, e := range events {
		b, err := e.MarshalJSON()
		if err != nil || !json.Valid(b) {
			t.Errorf("%s: %v", b, err)
		}
		ret = append(ret, string(b))
	}
	return ret
}

func TestACallIsTheLineThatGoprobectlPrints(t *testing.T) {
	got := lines(t, play(t, callOfF()))
	if len(got) != 1 || got[0] != callLine {
		t.Errorf("got  %s\nwant %s", got, callLine)
	}
}

func TestAPlaceIsTheLineThatGoprobectlPrints(t *testing.T) {
	events := play(t, placeInH())
	const want = `{"kind":"at","func":"main.h","offset":5,"file":"/src/main.go","line":42,"inlined":"main.i","begins":true,` +
		`"pid":10,"tid":11,"goid":5,"time_ns":1000,"values":[{"name":"n","type":"int","value":7}],` +
		`"registers":{"rax":"0x10","rbx":"0xffffffffffffffff","rip":"0x408405"}}`
	if got := lines(t, events); len(got) != 1 || got[0] != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e := events[0]
	rbx, ok := e.Register("rbx")
	if _, other := e.Register("r8"); e.Kind != At || e.Value("n").Int() != 7 || rbx != ^uint64(0) || !ok || other || e.Place.Line != 42 {
		t.Errorf("%+v", e)
	}
}

func placeInH() []byte {
	return rec(recordAt, 4, 2, 5, 100, 1000, quads(7, 0x10, ^uint64(0)))
}

func dividedReturn() []byte {
	b := rec(recordReturn, 1, noPlan, 5, 10, 150, quads(30, 12))
	b[3] = flagSplit
	return b
}

func TestTheTimeOfCallsDivides(t *testing.T) {
	events := play(t, rec(recordCall, 1, noPlan, 5, 10, 100, nil), dividedReturn())
	const want = `"duration_ns":42,"split":{"running_ns":30,"chan_ns":12},"unavailable":"no types"}`
	if got := lines(t, events); len(got) != 2 || !strings.HasSuffix(got[1], want) {
		t.Fatalf("got %s", got)
	}
	if e := events[1]; e.Duration != 42 || e.InState("chan") != 12 || e.InState("sleep") != 0 {
		t.Errorf("%+v", e)
	}
}

func TestFunctionsAreSeenAsOftenAsTheyShouldBe(t *testing.T) {
	s := newStream(testPlan(t), 0, func(*Event) {})
	for i, c := range []struct {
		b    []byte
		done string
		more bool
	}{
		{rec(recordCall, 1, noPlan, 5, 10, 100, nil), "[]", true},
		{rec(recordReturn, 1, noPlan, 5, 10, 110, nil), "[]", true},
		{rec(recordCall, 1, noPlan, 5, 10, 120, nil), "[1]", true},
		{rec(recordCall, 1, noPlan, 5, 20, 130, nil), "[]", true},
		{rec(recordAt, 4, 2, 5, 0, 140, quads(7, 0, 0)), "[]", true},
		{rec(recordAt, 4, 2, 5, 0, 150, quads(7, 0, 0)), "[4]", true},
		{rec(recordCall, 0, noPlan, 6, 10, 160, nil), "[]", true},
		{rec(recordCall, 0, noPlan, 6, 20, 170, nil), "[0]", false},
	} {
		s.add(0, c.b)
		s.round(^uint64(0), 0)
		if done, more := s.times.take(); fmt.Sprint(done) != c.done || more != c.more {
			t.Errorf("after record %d: %v are done, %v", i, done, more)
		}
	}
	if s.why != "" {
		t.Error(s.why)
	}
}

// An interface that holds what the plan does not know is asked about, once, before it is shown.
func TestTypesAreLearned(t *testing.T) {
	unknown := quads(0xff, 0, 0, 0, 0x500080+bias, 0xe000, 0, 0, 0)
	for _, c := range []struct {
		what   string
		change func(p *Plan)
		err    error
		want   string
		told   int
	}{
		{"a type", func(*Plan) {}, nil, `"value":{"type":"main.Learned","address":"0xe000",`, 1},
		{"a plan of another program", func(p *Plan) { p.Types = p.Types[12:] }, nil, `"type not known yet"`, 0},
		{"a goprobectl that fails", func(*Plan) {}, errors.New("no"), `"type not known yet"`, 0},
	} {
		asked, told, p := "", 0, testPlan(t)
		p.again = func(lines []byte) (*Plan, error) {
			asked += string(lines)
			more := testPlan(t)
			more.Files[0].byAddress[0x500080] = &known{Address: 0x500080, Name: "main.Learned"}
			c.change(more)
			return more, c.err
		}
		var events []*Event
		s := newStream(p, 0, func(e *Event) { events = append(events, e) })
		s.told = func(*Plan) { told++ }
		for time := uint64(1); time < 4; time++ {
			s.add(0, rec(recordCall, 0, 0, 5, 100+time, time, unknown))
			s.round(time, 0)
		}
		got := lines(t, events)
		if asked != "0 type 500080 1\n\n" || told != c.told || len(got) != 3 {
			t.Errorf("%s: asked %q, told %d times", c.what, asked, told)
		}
		if c.told > 0 && !strings.Contains(got[0], c.want) || c.told == 0 && strings.Contains(got[0], "main.Learned") {
			t.Errorf("%s: %s", c.what, got[0])
		}
	}
}

// What is not in the file, as types that package reflect makes, is not asked for, however much there is.
func TestOnlyWhatTheFileHasIsAskedFor(t *testing.T) {
	p := testPlan(t)
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	p.Files[0].lines.keep(own)
	p.again = func([]byte) (*Plan, error) { return nil, nil }
	var code, data segment
	for _, s := range p.Files[0].lines.segments {
		if s.code {
			code = s
		} else if s.from > code.to {
			data = s
		}
	}
	if code.to == 0 || data.to == 0 {
		t.Fatalf("segments are %+v", p.Files[0].lines.segments)
	}
	l := newLearner(p)
	for i := uint64(0); i < 2*learnMost; i++ {
		l.ask(p, shown{0, false, 0xc000000000 + 64*i, 1})
		l.ask(p, shown{0, true, 0xc000000000 + 64*i, 1})
		l.ask(p, shown{0, true, data.from + 64*i, 1})
	}
	l.ask(p, shown{0, false, data.to - 8, 1})
	l.ask(p, shown{0, false, data.to, 1})
	l.ask(p, shown{0, true, code.to - 8, 1})
	if want := fmt.Sprintf("0 type %x 1\n0 func %x 1\n", data.to-8, code.to-8); l.lines.String() != want {
		t.Errorf("asked %.80q, not %q", l.lines.String(), want)
	}
}

func TestTheEndByLoadIsTold(t *testing.T) {
	line, err := breaker{hitNs: 2000, percent: 50}.event(400000).MarshalJSON()
	const want = `{"kind":"broken","hits_per_second":400000,"percent":80,"max_percent":50,"hit_ns":2000,` +
		`"text":"ended by --max-load: 400000 hits a second take 80 % of a processor's time, more than 50 %; the breakpoints were removed and the program goes on; trace functions that are called less often, or allow more"}`
	if string(line) != want || err != nil {
		t.Errorf("%s, %v", line, err)
	}
}

// Breakpoints are placed by what stands there, and the code must do what the module expects.
func TestCodeToTryBreakpointsWith(t *testing.T) {
	if !haveTestCode {
		t.Skip("only on amd64")
	}
	selfTestRun(selfTestRounds)
	selfTestCall()
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []ownPoint{{selfTestAddress(), pointSelfTest, selfTestCode},
		{selfTestCallAddress(), pointCall, "\x90"}, {selfTestCallAddress() + 1, pointReturn, "\xc3"}} {
		at, err := p.place()
		if err != nil || string(exe[at:at+uint64(len(p.code))]) != p.code {
			t.Errorf("%x is not at %d: %v", p.code, at, err)
		}
	}
}

func TestValuesAreTyped(t *testing.T) {
	e := play(t, callOfF())[0]
	if e.Kind != Call || e.Func != "main.f" || e.GoID != 5 || e.PID != 10 || e.TID != 11 {
		t.Errorf("%+v", e)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"n", e.Arg("n").Int(), int64(-1)},
		{"s", string(e.Arg("s").Bytes()), "a\"\xffzz"},
		{"len(s)", e.Arg("s").Len(), 5},
		{"p.X", e.Arg("p").Field("X").Int(), int64(3)},
		{"(*p).Y", e.Arg("p").Elem().Field("Y").Int(), int64(-4)},
		{"p's kind", e.Arg("p").Kind(), KindPointer},
		{"e's type", e.Arg("e").Elem().TypeName(), "main.Point"},
		{"e.Y", e.Arg("e").Field("Y").Int(), int64(8)},
		{"xs[1]", e.Arg("xs").Index(1).Int(), int64(2)},
		{"xs[2]", fmt.Sprint(e.Arg("xs").Index(2).Err()), "cut at a limit"},
		{"xs[3]", fmt.Sprint(e.Arg("xs").Index(3).Err()), "index out of range"},
		{"p.Z", fmt.Sprint(e.Arg("p").Field("Z").Err()), "no such field"},
		{"q", fmt.Sprint(e.Arg("q").Err()), "no such value"},
		{"q.X", e.Arg("q").Field("X").Index(1).Elem().Int(), int64(0)},
		{"an int's text", e.Arg("n").String(), "-1"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, not %v", c.what, c.got, c.want)
		}
	}
}

// What a panic was given is in the events of all calls that it has ended.
func TestValuesAreForSeveralGoroutines(t *testing.T) {
	panicked := append(quads(0x500040+bias, 0xe000), part(0xe000, 2, 0, quads(42))...)
	var wg sync.WaitGroup
	var wrong atomic.Int64
	for i := 0; i < 2000; i++ {
		events := play(t, rec(recordCall, 1, noPlan, 5, 10, 100, nil), rec(recordCall, 1, noPlan, 5, 20, 110, nil),
			rec(recordCall, 1, noPlan, 5, 25, 115, nil), rec(recordCall, 2, 1, 5, 30, 120, panicked),
			rec(recordReturn, 1, noPlan, 5, 10, 130, nil))
		start := make(chan struct{})
		for _, e := range events[3:5] {
			wg.Add(1)
			go func() {
				defer wg.Done()
				<-start
				if e.Panic.Elem().Int() != 42 {
					wrong.Add(1)
				}
			}()
		}
		close(start)
	}
	wg.Wait()
	if n := wrong.Load(); n > 0 {
		t.Errorf("%d of 4000 saw something else", n)
	}
}

func TestReturnsFindTheirCalls(t *testing.T) {
	got := lines(t, play(t,
		rec(recordCall, 1, noPlan, 5, 10, 100, nil), rec(recordCall, 1, noPlan, 6, 10, 110, nil),
		rec(recordCall, 1, noPlan, 5, 20, 120, nil), rec(recordReturn, 1, noPlan, 5, 20, 150, nil),
		rec(recordReturn, 1, noPlan, 5, 10, 170, nil), rec(recordReturn, 1, noPlan, 7, 10, 180, nil),
		// The call of 6 is replaced by one at the same depth: it has ended otherwise.
		rec(recordCall, 1, noPlan, 6, 10, 190, nil)))
	for i, want := range []string{`"goid":5,"time_ns":100`, `"goid":6,"time_ns":110`, `"goid":5,"time_ns":120`,
		`"duration_ns":30,"unavailable":"no types"`, `"duration_ns":70`, `"duration_ns":null,"duration_unavailable":"call not seen"`,
		`{"kind":"unwound","func":"main.g","pid":10,"tid":11,"goid":6,"time_ns":110,"seen_ns":190,"ended":"unwound"}`,
		`"goid":6,"time_ns":190`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("event %d has no %s: %s", i, want, got)
		}
	}
}

func TestPanicsAndGoexitEndCalls(t *testing.T) {
	panicked := append(quads(0x500040+bias, 0xe000), part(0xe000, 2, 0, quads(42))...)
	got := lines(t, play(t,
		rec(recordCall, 1, noPlan, 5, 10, 100, nil), rec(recordCall, 1, noPlan, 5, 20, 110, nil),
		rec(recordCall, 2, 1, 5, 30, 120, panicked),
		rec(recordReturn, 1, noPlan, 5, 10, 130, nil),
		rec(recordCall, 1, noPlan, 6, 10, 140, nil), rec(recordCall, 3, noPlan, 6, 20, 150, nil)))
	for i, want := range []string{`"kind":"call"`, `"kind":"call"`,
		`"time_ns":110,"seen_ns":130,"ended":"panic","panic":{"type":"interface {}","value":{"type":"int","address":"0xe000","value":42}}`,
		`"duration_ns":30`, `"kind":"call"`, `"seen_ns":150,"ended":"goexit"}`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("event %d has no %s: %s", i, want, got)
		}
	}
}

// A program can raise panics one within the other for as long as it has a stack.
func TestPanicsAtWorkAreBounded(t *testing.T) {
	p := newPairs()
	h := header{kind: recordCall, depth: 1, goid: 1}
	p.enter(&h)
	for i := uint64(0); i < 10*thrownMost; i++ {
		h.depth++
		p.raise(&h, nil)
	}
	if n := len(p.stacks[keyOf(&h)].thrown); n != thrownMost || p.thrown != thrownMost {
		t.Errorf("%d panics of a goroutine are remembered, %d all in all", n, p.thrown)
	}
	// They count as calls do.
	for h.goid = 2; p.open+p.thrown < openCalls; h.goid++ {
		h.depth = 1
		p.enter(&h)
		for ; h.depth < thrownMost; h.depth++ {
			p.raise(&h, nil)
		}
	}
	p.enter(&header{kind: recordCall, depth: 1, goid: h.goid})
	if n := p.open + p.thrown; n > openCalls || p.forgotten != 1 {
		t.Errorf("%d are remembered, and %d calls forgotten", n, p.forgotten)
	}
	for goid := range h.goid + 1 {
		h := header{kind: recordCall, goid: goid, depth: 0}
		for _, ok := p.unwind(&h); ok; _, ok = p.unwind(&h) {
		}
	}
	if p.open != 0 || p.thrown != 0 || len(p.stacks) != 0 || p.used.Len() != 0 {
		t.Errorf("%d calls and %d panics are left", p.open, p.thrown)
	}
}

// Of too many panics at work the youngest is the one that ends calls.
func TestTheYoungestPanicEndsCalls(t *testing.T) {
	const raised = 100
	for what, c := range map[string]struct {
		end func(p *pairs) (openCall, bool)
		is  Ended
	}{
		"recovery": {func(p *pairs) (openCall, bool) { return p.abandon(&header{goid: 1}, 1, ByPanic) }, ByPanic},
		"a return": {func(p *pairs) (openCall, bool) { return p.unwind(&header{kind: recordReturn, goid: 1, depth: 1}) }, ByPanic},
		"Goexit":   {func(p *pairs) (openCall, bool) { return p.abandon(&header{goid: 1}, 1, ByGoexit) }, ByGoexit},
	} {
		p, values := newPairs(), make([]Value, raised+1)
		p.enter(&header{kind: recordCall, goid: 1, depth: 1})
		for i := uint64(1); i <= raised; i++ {
			// A call in which the panic before has its deferred ones; the last ends in panic 100.
			p.enter(&header{kind: recordCall, goid: 1, depth: 10 * i, time: 10 * i, id: uint32(i)})
			p.raise(&header{kind: recordCall, goid: 1, depth: 10*i + 5, time: 10*i + 5}, &values[i])
		}
		want := &values[raised]
		if c.is != ByPanic {
			want = nil
		}
		for i := uint32(raised); i > 0; i-- {
			if call, ok := c.end(p); !ok || call.id != i || call.end != c.is || call.panic != want {
				t.Errorf("%s: call %d is said to end with %v, panic %v, not %v", what, call.id, call.end, call.panic, want)
			}
		}
		if _, ok := c.end(p); ok || p.open != 1 || p.thrown != 0 {
			t.Errorf("%s: %d calls and %d panics are left", what, p.open, p.thrown)
		}
	}
	// What is recovered from leaves those that had been at work before as many were, not those between.
	p, values := newPairs(), make([]Value, raised+1)
	for i := uint64(1); i <= raised; i++ {
		p.enter(&header{kind: recordCall, goid: 1, depth: 10 * i, time: 10 * i})
		p.raise(&header{kind: recordCall, goid: 1, depth: 10*i + 5, time: 10*i + 5}, &values[i])
	}
	for left := uint64(raised); left > 1; left-- {
		// The panic in call number left is recovered from by what has called that.
		call, ok := p.abandon(&header{goid: 1}, 10*left-1, ByPanic)
		var want *Value
		if left == raised || left < thrownMost {
			want = &values[left]
		}
		if !ok || call.panic != want {
			t.Errorf("panic %d: %v, not %v", left, call.panic, want)
		}
		if _, ok := p.abandon(&header{goid: 1}, 10*left-1, ByPanic); ok {
			t.Errorf("panic %d ends more", left)
		}
	}
}

// Who keeps an event of each pass is not to keep all the passes.
func TestAValueKeepsItsRecordOnly(t *testing.T) {
	const passes, records = 64, 4096
	var kept []*Event
	count := 0
	s := newStream(testPlan(t), 0, func(e *Event) {
		if count++; count%records == 0 {
			kept = append(kept, e)
		}
	})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, all := heap(), 0
	for pass := uint64(0); pass < passes; pass++ {
		var b []byte
		for i := uint64(0); i < records; i++ {
			b = append(b, rec(recordAt, 4, 2, 5, 0, pass*records+i, quads(i, 0, 0))...)
		}
		all += len(b)
		s.add(0, b)
		s.round(^uint64(0), 0)
	}
	if now := heap(); len(kept) != passes || now > before+uint64(all)/8 {
		t.Errorf("%d events keep %d bytes of %d", len(kept), int64(now-before), all)
	}
	if kept[0].Value("n").Int() != records-1 {
		t.Error("and they are wrong")
	}
}

func TestCallsOfTheProgramBeforeAreGone(t *testing.T) {
	s := newStream(testPlan(t), 0, func(*Event) {})
	s.plan.Funcs[3].Role = "begin"
	other := rec(recordCall, 1, noPlan, 5, 10, 100, nil)
	order.PutUint32(other[20:], 7)
	// As runtime.schedule, before runtime.main begins.
	system := rec(recordCall, 1, noPlan, 0, 10, 105, nil)
	system[3] = flagSystem
	for _, r := range [][]byte{
		other, system, rec(recordCall, 1, noPlan, 5, 10, 110, nil), rec(recordCall, 1, noPlan, 6, 10, 120, nil),
		rec(recordCall, 1, noPlan, 6, 20, 130, nil), rec(recordCall, 3, noPlan, 1, 10, 140, nil),
		rec(recordCall, 1, noPlan, 5, 10, 150, nil),
	} {
		s.add(0, r)
	}
	s.round(^uint64(0), 0)
	if s.counts.Gone != 3 || s.pairs.open != 2 || s.counts.Unwound != 0 || len(s.pairs.processes) != 2 {
		t.Errorf("%d gone, %d open, %d unwound", s.counts.Gone, s.pairs.open, s.counts.Unwound)
	}
}

func TestRecordsOfAllCPUsAreInOrder(t *testing.T) {
	var times []int64
	s := newStream(testPlan(t), 0, func(e *Event) { times = append(times, e.Time.UnixNano()) })
	r := func(time uint64) []byte { return rec(recordCall, 1, noPlan, time, 10, time, nil) }
	s.add(0, append(r(10), r(40)...))
	s.add(1, append(r(20), r(30)...))
	s.round(30, 0)
	s.add(1, r(35))
	s.add(0, r(50))
	s.round(^uint64(0), 0)
	if got := fmt.Sprint(times); got != "[10 20 30 35 40 50]" {
		t.Error(got)
	}
}

func TestProcessesThatHaveEndedAreForgotten(t *testing.T) {
	s := newStream(testPlan(t), 0, func(*Event) {})
	for i := uint32(0); i < 3*biasesMost; i++ {
		b := callOfF()
		order.PutUint32(b[20:], i)
		order.PutUint64(b[40:], order.Uint64(b[40:])+uint64(i)<<12)
		r, err := decode(b, s.plan)
		if err != nil {
			t.Fatal(err)
		}
		if w := s.world(r); !w.biasKnown || w.bias != bias+uint64(i)<<12 {
			t.Fatalf("bias of process %d: %#x, %v", i, w.bias, w.biasKnown)
		}
	}
	if len(s.biases) > biasesMost {
		t.Fatalf("%d processes are remembered", len(s.biases))
	}
}

func TestLossesAreEventsAndMakeCallsDoubtful(t *testing.T) {
	var kinds []string
	s := newStream(testPlan(t), 0, func(e *Event) { kinds = append(kinds, e.Kind.String()) })
	s.add(0, rec(recordCall, 1, noPlan, 5, 10, 100, nil))
	s.round(110, 0)
	s.add(0, rec(recordLost, 0, noPlan, 0, 0, 120, append(words(0, lostRingFull), quads(9)...)))
	s.add(0, rec(recordCall, 1, noPlan, 5, 10, 130, nil))
	s.round(^uint64(0), 9)
	if got := fmt.Sprint(kinds); got != "[call lost call]" || s.counts.Doubtful != 1 {
		t.Errorf("%s, %d doubtful", got, s.counts.Doubtful)
	}
}

// Nothing that is in a record may do more than make it malformed, or its values unavailable.
func TestRecordsAreNotTrusted(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	seeds := [][]byte{callOfF(), placeInH(), dividedReturn()}
	p := testPlan(t)
	refused := 0
	for i := 0; i < 200000; i++ {
		b := append([]byte(nil), seeds[i%len(seeds)]...)
		for n := random.Intn(4); n >= 0; n-- {
			at := random.Intn(len(b))
			b[at] = byte(random.Intn(256))
			if random.Intn(2) == 0 {
				b[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[random.Intn(5)]
			}
		}
		b = b[:random.Intn(len(b)+1)]
		s := newStream(p, 0, func(e *Event) {
			line, _ := e.MarshalJSON()
			if !json.Valid(line) {
				t.Fatalf("not JSON: %s", line)
			}
			for _, v := range e.Args {
				_, _, _ = v.Len(), v.String(), v.Field("X").Elem().Index(3).Entries()
			}
		})
		s.add(0, b)
		s.round(^uint64(0), 0)
		if s.why != "" {
			refused++
		}
	}
	if refused == 0 || refused == 200000 {
		t.Errorf("%d of 200000 were refused", refused)
	}
}

func TestDamagedPlansAndRecordingsAreRefused(t *testing.T) {
	for _, text := range []string{"", "{}", `{"format":"goprobe plan","version":9}`,
		`{"format":"goprobe plan","version":1,"sizes":{"type":0}}`,
		`{"format":"goprobe plan","version":1,"sizes":{"type":12,"ref":20,"plan":40,"piece":24,"op":32,"filter":8,"point":48,"dynamic":16},"gotypes":[{"kind":"slice","elem":7}]}`} {
		if _, err := ReadPlan(strings.NewReader(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	if _, err := testPlan(t).Replay(strings.NewReader("nonsense of some length"), nil); err == nil {
		t.Error("a recording of nonsense")
	}
	head := "goprobe\n\x04\x03\x02\x01\x03\x00\x00\x00"
	for kind, size := range map[int]int{recordingStart: 16, recordingPass: 0, recordingEpoch: 0} {
		mark := make([]byte, 16+size)
		mark[0], mark[4] = byte(kind), byte(size)
		if _, err := testPlan(t).Replay(strings.NewReader(head+string(mark)), nil); err == nil {
			t.Errorf("an entry of kind %d with %d bytes was taken", kind, size)
		}
	}
}

// failing gives some bytes, then an error.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if err == io.EOF {
		err = f.err
	}
	return n, err
}

func TestARecordingThatCanNotBeReadIsNotOneThatWasCutShort(t *testing.T) {
	head := "goprobe\n\x04\x03\x02\x01\x03\x00\x00\x00"
	broken := errors.New("broken")
	for _, text := range []string{"", head, head + "some", head + string(make([]byte, 4)) + "\x08" + string(make([]byte, 11))} {
		if _, err := testPlan(t).Replay(&failing{strings.NewReader(text), broken}, nil); err != broken {
			t.Errorf("after %d bytes: %v", len(text), err)
		}
		if _, err := testPlan(t).Replay(strings.NewReader(text), nil); text != "" && err != nil {
			t.Errorf("cut short after %d bytes: %v", len(text), err)
		}
	}
}

func TestQuantilesAreWithinAnEighth(t *testing.T) {
	var l Latency
	for i := 1; i <= 1000; i++ {
		l.Add(time.Duration(i) * time.Microsecond)
	}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{0.5, 500 * time.Microsecond}, {0.99, 990 * time.Microsecond}, {0, time.Microsecond}, {1, time.Millisecond}} {
		if got := l.Quantile(c.q); got < c.want*7/8 || got > c.want*9/8 {
			t.Errorf("%v: %v, not %v", c.q, got, c.want)
		}
	}
	if l.Count != 1000 || l.Min != time.Microsecond || l.Max != time.Millisecond || l.Mean() != 500500*time.Nanosecond {
		t.Errorf("%d %v %v %v", l.Count, l.Min, l.Max, l.Mean())
	}
	for i := 0; i < latencyBuckets; i++ {
		if got := bucketOf(bucketStart(i)); got != i {
			t.Errorf("bucket %d begins in %d", i, got)
		}
	}
}
