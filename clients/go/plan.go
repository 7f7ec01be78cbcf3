// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

const planVersion = 1

// No struct of the module's is nearly as large.
const structMost = 4096

type gokind int

const (
	kindUnknown gokind = iota
	kindBool
	kindInt
	kindUint
	kindFloat
	kindComplex
	kindString
	kindSlice
	kindArray
	kindStruct
	kindPointer
	kindInterface
	kindMap
	kindChan
	kindFunc
)

var kindNames = map[string]gokind{
	"unknown": kindUnknown, "bool": kindBool, "int": kindInt, "uint": kindUint,
	"float": kindFloat, "complex": kindComplex, "string": kindString, "slice": kindSlice,
	"array": kindArray, "struct": kindStruct, "pointer": kindPointer,
	"interface": kindInterface, "map": kindMap, "chan": kindChan, "func": kindFunc,
}

type gofield struct {
	Name     string `json:"name"`
	Type     *int   `json:"type"`
	Offset   uint64 `json:"offset"`
	Embedded bool   `json:"embedded"`
	t        *gotype
}

type gomap struct {
	Swiss        bool   `json:"swiss"`
	Size         uint64 `json:"size"`
	KeyAt        uint64 `json:"key_at"`
	KeyStride    uint64 `json:"key_stride"`
	ElemAt       uint64 `json:"elem_at"`
	ElemStride   uint64 `json:"elem_stride"`
	KeyIndirect  bool   `json:"key_indirect"`
	ElemIndirect bool   `json:"elem_indirect"`
}

// gotype is a Go type as the plan describes it.
type gotype struct {
	KindName   string    `json:"kind"`
	Name       string    `json:"name"`
	Size       uint64    `json:"size"`
	Elem       *int      `json:"elem"`
	Key        *int      `json:"key"`
	Count      uint64    `json:"count"`
	Map        *gomap    `json:"map"`
	Fields     []gofield `json:"fields"`
	More       bool      `json:"more"`
	Empty      bool      `json:"empty"`
	Unfollowed bool      `json:"unfollowed"`
	Partial    bool      `json:"partial"`

	kind  gokind
	elem  *gotype
	key   *gotype
	known bool // goprobectl adds a text to it
}

type step struct {
	Step  string          `json:"step"`
	Name  string          `json:"name"`
	Index uint64          `json:"index"`
	Key   json.RawMessage `json:"key"`
}

type planValue struct {
	Name        string `json:"name"`
	Type        int    `json:"type"`
	Offset      int    `json:"offset"`
	Stack       bool   `json:"stack"`
	Unavailable string `json:"unavailable"`
	Steps       []step `json:"steps"`
	StepsType   string `json:"steps_type"`
	t           *gotype
}

type planFrame struct {
	Size        int         `json:"size"`
	Registers   *int        `json:"registers"`
	Unavailable string      `json:"unavailable"`
	Values      []planValue `json:"values"`
}

type planAt struct {
	Offset  uint64 `json:"offset"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Inlined string `json:"inlined"`
	Begins  bool   `json:"begins"`
}

type planFunc struct {
	Name   string    `json:"name"`
	File   int       `json:"file"`
	Entry  uint64    `json:"entry"`
	End    uint64    `json:"end"`
	Hidden bool      `json:"hidden"`
	Role   string    `json:"role"`
	Around bool      `json:"around"`
	Ends   bool      `json:"ends"`
	At     *planAt   `json:"at"`
	Call   planFrame `json:"call"`
	Ret    planFrame `json:"ret"`
}

// known is what an address of a file stands for.
type known struct {
	Address uint64 `json:"address"`
	Name    string `json:"name"`
	Func    string `json:"func"`
	Type    *int   `json:"type"`
	Direct  bool   `json:"direct"`
	t       *gotype
}

type layout struct {
	ChanQcount      uint64 `json:"chan_qcount"`
	ChanDataqsiz    uint64 `json:"chan_dataqsiz"`
	ChanBuf         uint64 `json:"chan_buf"`
	ChanClosed      uint64 `json:"chan_closed"`
	ChanTimer       uint64 `json:"chan_timer"` // 0: there is none
	ChanRecvx       uint64 `json:"chan_recvx"`
	ChanRecvq       uint64 `json:"chan_recvq"`
	ChanSendq       uint64 `json:"chan_sendq"`
	ChanSize        uint64 `json:"chan_size"`
	SudogNext       uint64 `json:"sudog_next"`
	SudogSize       uint64 `json:"sudog_size"`
	HmapCount       uint64 `json:"hmap_count"`
	HmapFlags       uint64 `json:"hmap_flags"`
	HmapB           uint64 `json:"hmap_b"`
	HmapBuckets     uint64 `json:"hmap_buckets"`
	HmapOldbuckets  uint64 `json:"hmap_oldbuckets"`
	HmapSize        uint64 `json:"hmap_size"`
	SwissUsed       uint64 `json:"swiss_used"`
	SwissDirPtr     uint64 `json:"swiss_dir_ptr"`
	SwissDirLen     uint64 `json:"swiss_dir_len"`
	SwissSize       uint64 `json:"swiss_size"`
	SwissTableGroup uint64 `json:"swiss_table_groups"`
	SwissTableMask  uint64 `json:"swiss_table_mask"`
	SwissTableSize  uint64 `json:"swiss_table_size"`
}

type planFile struct {
	Path    string  `json:"path"`
	Go      string  `json:"go"`
	Runtime []byte  `json:"runtime"`
	Points  []byte  `json:"points"`
	Dynamic []byte  `json:"dynamic"`
	Layout  layout  `json:"layout"`
	Known   []known `json:"known"`

	byAddress map[uint64]*known
	delta     uint64 // link-time address of code less its offset in the file

	lines *lineTable
}

// lineTable is that of a file.
type lineTable struct {
	path     string
	segments []segment // nil: not known
	mu       sync.Mutex
	file     *os.File // until it has been looked at
	looked   bool
	table    *funcTable
}

// Plan is what the module is to be told, and what its records mean: what
// "goprobectl plan" writes. It can be used by several sessions, one after the other or at
// once.
type Plan struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Protocol int    `json:"protocol"`
	Paired   bool   `json:"paired"`
	// HeldBytes is the largest record of a call that waits for its return, or 0.
	HeldBytes uint32 `json:"held_bytes"`
	// Times is after how many calls a function's breakpoints leave, or 0.
	Times uint64 `json:"times"`
	// States are those that the time of calls divides into, if it does.
	States []string `json:"states"`
	// Registers are their names, as frames have them; the last is where it happened.
	Registers []string `json:"registers"`
	Sizes     struct {
		Type, Ref, Plan, Piece, Op, Filter, Point, Dynamic int
	} `json:"sizes"`
	Types     []byte      `json:"types"`
	Refs      []byte      `json:"refs"`
	Plans     []byte      `json:"plans"`
	Pieces    []byte      `json:"pieces"`
	Ops       []byte      `json:"ops"`
	Filters   []byte      `json:"filters"`
	FilterOps []byte      `json:"filter_ops"`
	Files     []*planFile `json:"files"`
	Funcs     []planFunc  `json:"funcs"`
	Gotypes   []*gotype   `json:"gotypes"`

	places map[place][]uint64
	again  func(lines []byte) (*Plan, error) // has it made with what was learned; nil: that can't be
}

// place is what a record tells of its point.
type place struct {
	id   uint32
	kind uint8
}

// ReadPlan reads what "goprobectl plan" has written.
func ReadPlan(r io.Reader) (*Plan, error) {
	p := new(Plan)
	if err := json.NewDecoder(r).Decode(p); err != nil {
		return nil, fmt.Errorf("this is no plan: %w", err)
	}
	if p.Format != "goprobe plan" {
		return nil, errors.New("this is no plan: goprobectl plan writes one")
	}
	if p.Version != planVersion {
		return nil, fmt.Errorf("a plan of version %d, and this package knows %d", p.Version, planVersion)
	}
	if err := p.link(); err != nil {
		return nil, fmt.Errorf("the plan is damaged: %w", err)
	}
	return p, nil
}

// Compile runs goprobectl to make a plan. Of the options those count that say what is
// traced and captured.
func Compile(ctx context.Context, o Options, specs ...string) (*Plan, error) {
	compiler := o.Compiler
	if compiler == "" {
		compiler = "goprobectl"
	}
	args := append([]string{"plan", "--quiet"}, o.CompilerArgs...)
	for _, flag := range []struct {
		is   bool
		name string
	}{{o.NoReturn, "--no-return"}, {o.Inlined, "--inlined"}, {o.Registers, "--registers"}, {o.Split, "--split"}} {
		if flag.is {
			args = append(args, flag.name)
		}
	}
	if o.Times > 0 {
		args = append(args, "--times", strconv.FormatUint(o.Times, 10))
	}
	if o.File != "" {
		args = append(args, "-b", o.File)
	}
	for _, pid := range o.PIDs {
		args = append(args, "-p", strconv.Itoa(pid))
	}
	p, err := compile(ctx, compiler, append(args, specs...), nil)
	if err != nil {
		return nil, err
	}
	p.again = func(lines []byte) (*Plan, error) {
		return compile(ctx, compiler, append(append([]string{"plan", "--learned"}, args[1:]...), specs...), lines)
	}
	return p, nil
}

func compile(ctx context.Context, compiler string, args []string, input []byte) (*Plan, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &said
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(said.String()); text != "" {
			return nil, errors.New(strings.TrimPrefix(text, "goprobectl: "))
		}
		return nil, fmt.Errorf("can't run %s plan: %w", compiler, err)
	}
	return ReadPlan(&out)
}

func (p *Plan) gotype(i *int) (*gotype, error) {
	if i == nil {
		return nil, nil
	}
	if *i < 0 || *i >= len(p.Gotypes) {
		return nil, fmt.Errorf("there is no type %d", *i)
	}
	return p.Gotypes[*i], nil
}

// link turns numbers into pointers, and looks at what decoding relies on.
func (p *Plan) link() error {
	s := p.Sizes
	for _, a := range []struct {
		b    []byte
		size int
	}{{p.Types, s.Type}, {p.Refs, s.Ref}, {p.Plans, s.Plan}, {p.Pieces, s.Piece}, {p.Ops, s.Op},
		{p.Filters, s.Filter}, {p.FilterOps, s.Op}} {
		if a.size < 8 || a.size > structMost || len(a.b)%a.size != 0 {
			return errors.New("the size of a table")
		}
	}
	if s.Type < 12 || s.Ref < 16 || s.Plan < 40 || s.Point < 24 || s.Point > structMost || s.Dynamic < 16 || s.Dynamic > structMost {
		return errors.New("the size of a struct")
	}
	for _, t := range p.Gotypes {
		if t == nil {
			return errors.New("a type that is none")
		}
	}
	for _, t := range p.Gotypes {
		if err := p.linkType(t); err != nil {
			return err
		}
	}
	for i := range p.Funcs {
		if err := p.linkFunc(&p.Funcs[i]); err != nil {
			return err
		}
	}
	p.places = make(map[place][]uint64)
	for _, f := range p.Files {
		if err := p.linkFile(f); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) linkType(t *gotype) (err error) {
	t.kind = kindNames[t.KindName]
	if t.elem, err = p.gotype(t.Elem); err != nil {
		return err
	}
	if t.key, err = p.gotype(t.Key); err != nil {
		return err
	}
	for i := range t.Fields {
		if t.Fields[i].t, err = p.gotype(t.Fields[i].Type); err != nil {
			return err
		}
	}
	base := t.Name
	if head := strings.IndexByte(base, '['); head < 0 {
		base = base[strings.LastIndexByte(base, '/')+1:]
	}
	switch base {
	case "time.Time", "time.Duration", "time.Month", "time.Weekday", "fs.FileMode", "os.FileMode", "net.IP":
		t.known = t.kind == kindStruct
	}
	return nil
}

func (p *Plan) linkFunc(f *planFunc) (err error) {
	if f.File < 0 || f.File >= len(p.Files) {
		return errors.New("a function of no file")
	}
	for _, frame := range []*planFrame{&f.Call, &f.Ret} {
		for i := range frame.Values {
			v := &frame.Values[i]
			if v.t, err = p.gotype(&v.Type); err != nil {
				return err
			}
			if v.Offset < 0 {
				return errors.New("the place of a value")
			}
		}
		if frame.Registers != nil && (*frame.Registers < 0 || len(p.Registers) < 2) {
			return errors.New("the place of registers")
		}
	}
	return nil
}

// fits tells whether all that is looked at lies within what it is part of.
func (l *layout) fits() bool {
	for _, part := range []struct {
		size uint64
		at   []uint64
	}{
		{l.ChanSize, []uint64{l.ChanQcount, l.ChanDataqsiz, l.ChanBuf, l.ChanClosed, l.ChanTimer, l.ChanRecvx, l.ChanRecvq, l.ChanSendq}},
		{l.SudogSize, []uint64{l.SudogNext}},
		{l.HmapSize, []uint64{l.HmapCount, l.HmapFlags, l.HmapB, l.HmapBuckets, l.HmapOldbuckets}},
		{l.SwissSize, []uint64{l.SwissUsed, l.SwissDirPtr, l.SwissDirLen}},
		{l.SwissTableSize, []uint64{l.SwissTableGroup, l.SwissTableMask}},
	} {
		for _, at := range part.at {
			// Bytes and words of 32 bits are no last members, so all are as good as words of 64.
			if part.size != 0 && (part.size < 8 || at > part.size-8) {
				return false
			}
		}
	}
	return true
}

func (p *Plan) linkFile(f *planFile) (err error) {
	if f == nil || !f.Layout.fits() {
		return errors.New("a file, or a layout in it")
	}
	if len(f.Runtime) < 40 || len(f.Points)%p.Sizes.Point != 0 || len(f.Dynamic)%p.Sizes.Dynamic != 0 {
		return errors.New("a table of a file")
	}
	f.lines = &lineTable{path: f.Path}
	f.delta = u64At(f.Runtime, 32)
	f.byAddress = make(map[uint64]*known)
	for i := range f.Known {
		k := &f.Known[i]
		if k.t, err = p.gotype(k.Type); err != nil {
			return err
		}
		f.byAddress[k.Address] = k
	}
	for at := 0; at < len(f.Points); at += p.Sizes.Point {
		where := place{id: u32At(f.Points, at+8), kind: f.Points[at+16]}
		p.places[where] = append(p.places[where], u64At(f.Points, at)+f.delta)
	}
	return nil
}

// frameBytes is the size of the frame of a session plan id, or -1.
func (p *Plan) frameBytes(id uint32) int {
	if uint64(id)*uint64(p.Sizes.Plan) >= uint64(len(p.Plans)) {
		return -1
	}
	t := u32At(p.Plans, int(id)*p.Sizes.Plan)
	if uint64(t)*uint64(p.Sizes.Type) >= uint64(len(p.Types)) {
		return -1
	}
	return int(u32At(p.Types, int(t)*p.Sizes.Type))
}

// keep keeps the open file, and becomes its owner.
func (f *lineTable) keep(file *os.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil || f.looked {
		file.Close()
		return
	}
	f.file = file
	f.segments = segments(file)
}

// has tells whether the file has something at a link-time address; or that may be.
func (f *lineTable) has(address uint64, code bool) bool {
	for _, s := range f.segments {
		if address >= s.from && address < s.to && (s.code || !code) {
			return true
		}
	}
	return f.segments == nil
}

// The largest line table that is read: a file can be sparse. None is compressed, as programs read their
// own.
const tableMost = 1 << 28

// load reads the file's line table. Where there is none, functions have no names.
func (f *lineTable) load() {
	if f.looked {
		return
	}
	f.looked = true
	if f.file == nil {
		f.file, _ = openRegular(f.path)
	}
	if f.file == nil {
		return
	}
	defer f.file.Close()
	found := sections(f.file, ".text", ".gopclntab", ".data.rel.ro.gopclntab")
	text, ok := found[".text"]
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s, had := found[name]; ok && had {
			if data := s.data(f.file, tableMost); data != nil {
				f.table = newFuncTable(data, text.address)
			}
		}
	}
}

// funcName names the function that begins at a link-time address: by the plan, or by the file's
// line table.
func (f *planFile) funcName(entry uint64) string {
	if k := f.byAddress[entry]; k != nil && k.Func != "" {
		return k.Func
	}
	return f.lines.name(entry)
}

func (f *lineTable) name(entry uint64) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.load()
	if f.table == nil {
		return ""
	}
	return f.table.name(entry)
}
