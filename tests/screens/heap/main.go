// Two dumps of the heap of a server, between which its cache grew.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
)

type session struct{ pages []string }

var cache = map[int]*session{}
var log []string

//go:noinline
func render(n int) string { return strings.Repeat("<p>page</p>", n) }

//go:noinline
func (s *session) keep(page string) { s.pages = append(s.pages, page) }

//go:noinline
func serve(n int) {
	s := &session{}
	for i := 0; i < 20; i++ {
		s.keep(render(40))
	}
	cache[n] = s
	if n%8 == 0 {
		log = append(log, fmt.Sprintf("GET /%d", n))
	}
}

func dump(name string) {
	runtime.GC()
	f, _ := os.Create(name)
	pprof.Lookup("heap").WriteTo(f, 0)
	f.Close()
}

func main() {
	runtime.MemProfileRate = 1
	for i := 0; i < 100; i++ {
		serve(i)
	}
	dump("before.pb.gz")
	for i := 100; i < 400; i++ {
		serve(i)
	}
	dump("after.pb.gz")
}
