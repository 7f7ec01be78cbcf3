// SPDX-License-Identifier: GPL-2.0

// secrets calls functions whose parameters, results, fields and keys have secrets by their names, in all
// places where a value can be. Each secret begins with "5ec2e7", or is the number 4000123412341234 or
// its bytes; texts that are no secret begin with "plain". For each line on stdin it makes each call
// once. It prints "ready" and its process id first, and "done" after each round.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

const number = 4000123412341234

type Password string

type Card struct {
	Holder string
	Number int64
}

type User struct {
	Name     string
	Password string
	APIKey   []byte
	CVV      int64
	Token    [16]byte
	Cards    [2]Card
	Old      []Password
	Secrets  map[string]string
	Extra    interface{}
	Next     *User
	Tries    int
}

type Session struct {
	User
	ID     string
	Header map[string][]string
	Values map[string]interface{}
}

var (
	current  = newUser("plain-current", nil)
	apiToken = "5ec2e7-variable"
	headers  = header()
	limit    = 7
)

func token() (t [16]byte) {
	copy(t[:], "5ec2e7-token-abc")
	return
}

func newUser(name string, next *User) *User {
	return &User{
		Name: name, Password: "5ec2e7-password", APIKey: []byte("5ec2e7-key"), CVV: number,
		Token: token(), Cards: [2]Card{{"5ec2e7-holder", number}, {"5ec2e7-holder", number}},
		Old: []Password{"5ec2e7-old", "5ec2e7-older"}, Secrets: map[string]string{"a": "5ec2e7-map"},
		Extra: Password("5ec2e7-extra"), Next: next, Tries: 3,
	}
}

func header() map[string][]string {
	return map[string][]string{
		"Authorization": {"Bearer 5ec2e7-header"}, "Accept": {"plain-header"},
		"Cookie": {"5ec2e7-cookie", "5ec2e7-biscuit"},
	}
}

//go:noinline
func login(name string, password string, tries int) (token string, err error) {
	if tries > 5 {
		return "", errors.New("plain-error")
	}
	return "5ec2e7-result" + password[:0], nil
}

//go:noinline
func pay(cardNumber int64, cents int64, cvc float64) (receipt string) {
	return fmt.Sprint("plain-receipt-", cents)
}

//go:noinline
func byPointer(u *User) *User { return u.Next }

//go:noinline
func byValue(u User, n int) (User, int) { return u, n + 1 }

//go:noinline
func bySlice(users []User, cards []Card) int { return len(users) + len(cards) }

//go:noinline
func byInterface(v interface{}, w fmt.Stringer) interface{} { return v }

//go:noinline
func byMap(h map[string][]string, values map[string]interface{}, users map[int]User) int {
	return len(h) + len(values) + len(users)
}

type ctxKey string

type userKey struct{}

func contexts() context.Context {
	ctx := context.WithValue(context.Background(), ctxKey("authToken"), "5ec2e7-context")
	return context.WithValue(context.WithValue(ctx, "password", "5ec2e7-context"), userKey{}, "plain-context")
}

//go:noinline
func byContext(ctx context.Context) error { return ctx.Err() }

//go:noinline
func byChannel(passwords chan string, users chan User) int { return len(passwords) + len(users) }

//go:noinline
func bySession(s *Session) string { return s.ID }

//go:noinline
func byFunction(f func() int) int { return f() }

func (u *User) String() string { return u.Name }

//go:noinline
func closure(secret string, plain int) func() int {
	return func() int { return len(secret) + plain }
}

// Calls that the module holds until they return.
//
//go:noinline
func held(password string, n int) (kept int) { return n }

//go:noinline
func panics(u *User) { panic(u) }

func caught(u *User) {
	defer func() { _ = recover() }()
	panics(u)
}

func round() {
	u := newUser("plain-first", newUser("plain-second", nil))
	cards := []Card{{"5ec2e7-holder", number}, {"5ec2e7-holder", number}}
	passwords, users := make(chan string, 2), make(chan User, 2)
	passwords <- "5ec2e7-sent"
	users <- *u
	values := map[string]interface{}{"api_key": "5ec2e7-value", "user": *u, "plain": "plain-value", "card": int64(number)}
	many := map[int]User{}
	for i := 0; i < 20; i++ {
		many[i] = *u
	}

	_, _ = login("plain-name", "5ec2e7-argument", 3)
	_, _ = login("plain-name", "5ec2e7-argument", 9)
	pay(number, 250, number)
	byPointer(u)
	byValue(*u, 4)
	bySlice([]User{*u, *u}, cards)
	byInterface(*u, u)
	byInterface(Password("5ec2e7-dynamic"), u)
	byInterface(&cards[0], u)
	byMap(header(), values, many)
	_ = byContext(contexts())
	byChannel(passwords, users)
	bySession(&Session{User: *u, ID: "plain-id", Header: header(), Values: values})
	byFunction(closure("5ec2e7-captured", 2))
	held("5ec2e7-held", 1)
	held("5ec2e7-held", 2)
	caught(u)
}

func labelled(context.Context) { select {} }

func main() {
	go pprof.Do(context.Background(), pprof.Labels("token", "5ec2e7-label", "kind", "plain-label"), labelled)
	fmt.Println("ready", os.Getpid())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		round()
		fmt.Println("done")
	}
	fmt.Fprintln(os.Stderr, len(current.Name), len(apiToken), len(headers), limit)
}
