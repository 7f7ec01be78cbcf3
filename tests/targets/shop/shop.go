// SPDX-License-Identifier: GPL-2.0

// Package shop is a small HTTP service with the habits of a larger one: methods
// with receivers, errors now and then, calls that take their time.
package shop

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Item is a line of a cart.
type Item struct {
	SKU   string
	Qty   int
	Cents int64
}

// Cart belongs to one customer.
type Cart struct {
	ID    int
	Items []Item
	mu    sync.Mutex
}

var (
	ErrQuantity = errors.New("quantity must be positive")
	ErrUnknown  = errors.New("no such article")
)

var prices = map[string]int64{"A-119": 1250, "B-7": 399, "C-42": 99900, "D-1": 5}

// Add puts qty pieces of an article into the cart.
//
//go:noinline
func (c *Cart) Add(sku string, qty int) (err error) {
	if qty <= 0 {
		return ErrQuantity
	}
	cents, err := priceOf(sku)
	if err != nil {
		return fmt.Errorf("cart %d: %w", c.ID, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Items = append(c.Items, Item{sku, qty, cents})
	return nil
}

// Total adds up the cart.
//
//go:noinline
func (c *Cart) Total(discount float64) (cents int64, pieces int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, item := range c.Items {
		cents += item.Cents * int64(item.Qty)
		pieces += item.Qty
	}
	return int64(float64(cents) * (1 - discount)), pieces
}

// priceOf asks what stands for a database: it takes a while.
//
//go:noinline
func priceOf(sku string) (cents int64, err error) {
	time.Sleep(time.Duration(1+rand.Intn(20)) * time.Millisecond)
	cents, ok := prices[sku]
	if !ok {
		return 0, ErrUnknown
	}
	return cents, nil
}

// charge is what the card company does.
//
//go:noinline
func charge(card []byte, cents int64) (receipt string, err error) {
	if card[0] != '4' {
		return "", errors.New("card declined")
	}
	return fmt.Sprintf("R%08x-%d", cents*int64(card[0]), cents), nil
}

// Server holds the carts.
type Server struct {
	mu    sync.Mutex
	carts map[int]*Cart
}

func NewServer() *Server { return &Server{carts: map[int]*Cart{}} }

func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/add", s.handleAdd)
	mux.HandleFunc("/checkout", s.handleCheckout)
	return mux
}

func (s *Server) cart(r *http.Request) *Cart {
	id, _ := strconv.Atoi(r.FormValue("cart"))
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.carts[id]
	if c == nil {
		c = &Cart{ID: id}
		s.carts[id] = c
	}
	return c
}

func (s *Server) handleAdd(w http.ResponseWriter, r *http.Request) {
	qty, _ := strconv.Atoi(r.FormValue("qty"))
	if err := s.cart(r).Add(r.FormValue("sku"), qty); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func (s *Server) handleCheckout(w http.ResponseWriter, r *http.Request) {
	c := s.cart(r)
	cents, pieces := c.Total(0.05)
	receipt, err := charge([]byte(r.FormValue("card")), cents)
	if err != nil {
		http.Error(w, err.Error(), http.StatusPaymentRequired)
		return
	}
	s.mu.Lock()
	delete(s.carts, c.ID)
	s.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]interface{}{"receipt": receipt, "pieces": pieces})
}
