// SPDX-License-Identifier: GPL-2.0

package main

type Scaler interface{ Scaled(int) int }

type Cart struct {
	ID    int
	Items []Item
}

type Base struct{ N, M int }

type Derived struct {
	Pad int
	*Base
}

type Contained struct {
	Pad string
	Base
}

// Methods that an interface calls stay in the runtime's type tables.

type Adder interface {
	Add(sku string, qty int) (total int, err error)
}

type Method interface{ Method(int) (int, string) }

type Warm interface{ Fahrenheit() Celsius }

type Promoter interface {
	Promoted(int) (int, *Base)
	PromotedValue(int) (int, Base)
}

type Summer interface{ Sum(int) int }

type Getter interface{ Get(string) (int, bool) }

type Caller interface{ Call(int) int }

type List []int

type Dict map[string]int

type Func func(int) int

//go:noinline
func (p *Point) Scale(n int) int { visits++; return n }

//go:noinline
func (p Point) Scaled(n int) int { visits++; return p.X * n }

//go:noinline
func (c *Cart) Add(sku string, qty int) (total int, err error) {
	visits++
	if qty <= 0 {
		return len(c.Items), &Detailed{"add", qty, nil}
	}
	c.Items = append(c.Items, Item{sku, qty})
	return len(c.Items), nil
}

//go:noinline
func (b Block) Method(n int) (int, string) { visits++; return n + int(b.A), b.S }

//go:noinline
func (c Celsius) Fahrenheit() Celsius { visits++; return c*9/5 + 32 }

//go:noinline
func (b *Base) Promoted(n int) (int, *Base) { visits++; return b.N + n, b }

//go:noinline
func (b Base) PromotedValue(n int) (int, Base) { visits++; return b.M + n, b }

//go:noinline
func (l List) Sum(start int) (sum int) {
	visits++
	sum = start
	for _, x := range l {
		sum += x
	}
	return sum
}

//go:noinline
func (d Dict) Get(key string) (int, bool) {
	visits++
	n, ok := d[key]
	return n, ok
}

//go:noinline
func (f Func) Call(x int) int { visits++; return f(x) }

//go:noinline
func (e struct0) Empty(n int) int { visits++; return n }

type struct0 struct{}

func visitMethods() {
	c := &Cart{ID: 88}
	c.Add("A-119", 2)
	c.Add("B-7", 0)
	add := c.Add
	add("C-1", 9)
	Block{A: 40, S: "receiver"}.Method(2)
	Celsius(100).Fahrenheit()
	d := Derived{1, &Base{2, 3}}
	d.Promoted(4)
	f := d.Promoted
	f(5)
	d.PromotedValue(6)
	contained := Contained{"pad", Base{7, 8}}
	contained.Promoted(9)
	contained.PromotedValue(10)
	(*Base).Promoted(d.Base, 11)
	Base.PromotedValue(*d.Base, 12)
	List{1, 2, 3}.Sum(10)
	List(nil).Sum(11)
	Dict{"a": 1}.Get("a")
	Dict{"a": 1}.Get("b")
	Func(double).Call(21)
	struct0{}.Empty(13)
	var s Scaler = Point{14, 15}
	s.Scaled(16)
	kept = []interface{}{&contained, &d}
	for _, x := range []interface{}{
		&Cart{ID: 89}, Block{B: 1, N: 2, S: "dynamic"}, Celsius(-40), &Base{17, 18}, &contained, d, List{4, 5}, Dict{"b": 2}, Func(double), s,
	} {
		visitDynamic(x)
	}
}

func visitDynamic(x interface{}) {
	switch x := x.(type) {
	case Adder:
		x.Add("I-1", 3)
	case Method:
		x.Method(19)
	case Warm:
		x.Fahrenheit()
	case Promoter:
		x.Promoted(20)
		x.PromotedValue(21)
	case Summer:
		x.Sum(22)
	case Getter:
		x.Get("b")
	case Caller:
		x.Call(23)
	case Scaler:
		x.Scaled(24)
	}
}
