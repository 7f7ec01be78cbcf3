// SPDX-License-Identifier: GPL-2.0

// Package goprobe watches functions of live Go programs: it runs goprobectl and turns the JSON that
// goprobectl prints into typed events.
//
//	s, err := goprobe.Attach(ctx, goprobe.Options{PIDs: []int{pid}}, "main.(*T).Handle(r.Method, n)")
//	if err != nil {
//		log.Fatal(err)
//	}
//	for ev := range s.Events() {
//		if ev.Kind == goprobe.Return {
//			fmt.Println(ev.Func, ev.Duration, ev.Result("err").IsNil())
//		}
//	}
//	if err := s.Err(); err != nil {
//		log.Fatal(err)
//	}
//
// A pattern is what "goprobectl attach" takes: a function, with lists of what is captured and a
// condition, or a place in the code, "main.go:42(x, y)", whose events are of kind At. Options.Split
// divides the time of calls among states of their goroutines, Options.Times and Options.MaxLoad bound
// what a session costs the program.
//
// Event.MarshalJSON gives the line that goprobectl has printed. If goprobectl fails, the error is an
// *Error with its message and exit status.
//
// Each session is a process. It ends with its context, with Session.Close, with the processes that it
// traces, and with this program, however that ends. Tracing needs CAP_SYS_ADMIN in the initial user
// namespace, and the module, which goprobectl loads if it may. Replay and List need neither.
package goprobe
