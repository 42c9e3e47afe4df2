// A Go program that serves its own profiles, for url.t: one function uses a processor.
// Prints the port that it listens to.
package main

import (
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
)

var sum uint64

//go:noinline
func spin(n uint64) {
	for i := uint64(0); i < n; i++ {
		sum += i * i
	}
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			spin(1000000)
		}
	}()
	_ = http.Serve(listener, nil)
}
