// SPDX-License-Identifier: GPL-2.0

// An etcd of one member, and a client of it that asks for the same things in the same order each time.
package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
)

const rounds = 20

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func work(c *clientv3.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	for i := 0; i < rounds; i++ {
		key := fmt.Sprintf("shop/%03d", i)
		_, err := c.Put(ctx, key, "cart")
		check(err)
		_, err = c.Txn(ctx).If(clientv3.Compare(clientv3.Version(key), "=", 1)).
			Then(clientv3.OpPut(key, "paid"), clientv3.OpGet(key)).Else(clientv3.OpDelete(key)).Commit()
		check(err)
		_, err = c.Get(ctx, "shop/", clientv3.WithPrefix(), clientv3.WithSort(clientv3.SortByKey, clientv3.SortDescend))
		check(err)
		if i%3 == 0 {
			_, err = c.Delete(ctx, key)
			check(err)
		}
	}
	last, err := c.Get(ctx, "shop/000")
	check(err)
	_, err = c.Compact(ctx, last.Header.Revision, clientv3.WithCompactPhysical())
	check(err)
}

func main() {
	dir, err := os.MkdirTemp("", "etcd")
	check(err)
	defer os.RemoveAll(dir)
	config := embed.NewConfig()
	config.Dir = dir
	config.LogLevel = "fatal"
	config.TickMs, config.ElectionMs = 1000, 10000
	// What a slow machine makes it do: warn of slow requests, and commit more often.
	config.ExperimentalWarningApplyDuration, config.BackendBatchInterval = time.Hour, time.Hour
	for list, port := range map[*[]url.URL]string{&config.ListenClientUrls: "32379", &config.ListenPeerUrls: "32380"} {
		*list = []url.URL{{Scheme: "http", Host: "127.0.0.1:" + port}}
	}
	server, err := embed.StartEtcd(config)
	check(err)
	<-server.Server.ReadyNotify()
	// Once within the process, and once by gRPC.
	work(v3client.New(server.Server))
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://127.0.0.1:32379"}, DialTimeout: 10 * time.Minute})
	check(err)
	repeat(func() { work(client) })
	check(client.Close())
	server.Close()
}
