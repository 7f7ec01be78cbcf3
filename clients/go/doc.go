// SPDX-License-Identifier: GPL-2.0

// Package goprobe watches functions of live Go programs: it tells the goprobe kernel module
// what to probe, over generic netlink, and turns its records into typed events.
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
// What is to be probed is decided by goprobectl, which knows executables, debug information
// and releases of Go: Attach runs "goprobectl plan" once, or a Plan that was compiled
// elsewhere is read with ReadPlan. From then on this package is on its own: it uploads the
// plan, reads the rings, puts records in order, joins calls with returns, and decodes
// values. It uses no cgo. Event.MarshalJSON gives what "goprobectl attach -o json" prints of
// the same record, but for the members "text" and "message", which goprobectl adds to times,
// loads and well-known errors, and "set" and the like of what a pattern changes.
//
// A pattern can be a place in the code, "main.go:42(x, y)", "main.foo+0x1f": then events are of
// kind At. Options.Split divides the time of calls among states of their goroutines,
// Options.Times and Options.MaxLoad bound what a session costs the program. The first session
// after the module was loaded has it find out, with code of this package, whether it may execute
// instructions itself, as goprobectl does.
//
// What interfaces hold that the plan does not know is learned while the program runs: goprobectl is
// asked before the first such record is handed out, and the module is told, so that later ones
// have what is behind it. A Plan that was read, not compiled, can't ask, nor can one whose process
// has ended. Values of type parameters are shown by their shape.
//
// Tracing needs CAP_SYS_ADMIN in the initial user namespace, and the module. ReadPlan, and
// Replay of what "goprobectl attach --record" has written, need neither.
package goprobe
