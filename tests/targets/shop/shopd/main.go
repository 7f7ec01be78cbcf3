// SPDX-License-Identifier: GPL-2.0

// shopd serves the shop on loopback and has some customers of its own, so that
// there is always something to see.
//
//	shopd [-customers N] [-every D]
//
// It prints "ready PID ADDRESS" and ends at end of file on stdin. -every is the
// mean pause of a customer between two requests.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"shop"
)

func customer(base string, first int, every time.Duration) {
	skus := []string{"A-119", "B-7", "C-42", "D-1", "Z-0"}
	get := func(path string, q url.Values) {
		time.Sleep(every/2 + time.Duration(rand.Int63n(int64(every))))
		resp, err := http.Get(base + path + "?" + q.Encode())
		if err != nil {
			log.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	for n := first; ; n++ {
		cart := strconv.Itoa(n)
		for i := rand.Intn(4); i >= 0; i-- {
			get("/add", url.Values{"cart": {cart}, "sku": {skus[rand.Intn(len(skus))]}, "qty": {strconv.Itoa(rand.Intn(5))}})
		}
		card := "4000-0000-0000-0002"
		if rand.Intn(5) == 0 {
			card = "stolen"
		}
		get("/checkout", url.Values{"cart": {cart}, "card": {card}})
	}
}

func main() {
	customers := flag.Int("customers", 3, "customers")
	every := flag.Duration("every", 800*time.Millisecond, "mean pause between requests")
	flag.Parse()
	rand.Seed(time.Now().UnixNano())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() { log.Fatal(http.Serve(l, shop.NewServer().Handler())) }()
	for i := 1; i <= *customers; i++ {
		go customer("http://"+l.Addr().String(), i*100, *every)
	}
	fmt.Println("ready", os.Getpid(), l.Addr())
	io.Copy(io.Discard, os.Stdin)
}
