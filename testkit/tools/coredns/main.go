// CoreDNS with only the plugins that the test cluster's Corefile names.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

// The order of the plugins in the chain. It is fixed at build time.
func init() {
	dnsserver.Directives = []string{"errors", "ready", "cache", "kubernetes", "template"}
}

func main() { coremain.Run() }
