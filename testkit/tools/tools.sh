#!/usr/bin/env bash
# Builds the pinned tools that tests use and keeps them in one cache. See --help.
set -euo pipefail

readonly KUBERNETES=1.36.3
readonly ETCD=3.6.8
readonly COREDNS=1.14.7
readonly REGISTRY=3.1.2
readonly COSIGN=3.1.3
readonly HELM=4.3.1
readonly OPA=1.22.0
readonly PAUSE=1
readonly GO=1.26 # the oldest that builds all of them

readonly KUBERNETES_PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)
readonly NODE_PACKAGES=(containerd runc containernetworking-plugins nftables conntrack busybox iproute2 procps)

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly cache=${PORTCULLIS_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/portcullis/tools}

usage() {
  cat <<HELP
Usage: ./portcullis tools COMMAND

  list           print every tool, its version and its path, or "missing"
  build [NAME…]  build missing tools (default: all); wait if another process already builds one
  check NAME…    say what is missing on this machine to build these tools, and how long the build takes; build nothing
  path NAME      print the path of a tool; fail if it is not built
  names NAME…    print the tools of groups
  packages       install the Debian packages that a node needs (root), or print the missing ones
  prune          remove tools of other versions, and Go's build and module caches; the tools stay

Names: ${KUBERNETES_PROGRAMS[*]} etcd etcdctl coredns pause registry cosign helm opa
Groups: level1 (an API server), level2 (adds controllers), level3 (adds nodes), all
Cache: $cache   (set PORTCULLIS_TOOLS to change it)

Needs Go $GO or newer. Everything comes from the Go module proxy; Go checks each module against its checksum database.
HELP
}

fail() {
  printf 'tools: %s\n' "$*" >&2
  exit 1
}

version_of() {
  case $1 in
    kube-apiserver | kube-controller-manager | kube-scheduler | kubelet | kube-proxy | kubectl) echo "$KUBERNETES" ;;
    etcd | etcdctl) echo "$ETCD" ;;
    coredns) echo "$COREDNS" ;;
    registry) echo "$REGISTRY" ;;
    cosign) echo "$COSIGN" ;;
    helm) echo "$HELM" ;;
    opa) echo "$OPA" ;;
    pause) echo "$PAUSE" ;;
    *) fail "no tool is called '$1'; see ./portcullis tools --help" ;;
  esac
}

# Prints the seconds of a build on two idle cores. Later builds find packages of earlier ones in Go's cache.
seconds_of() {
  case $1 in
    registry | opa | kube-controller-manager | kubelet) echo 60 ;;
    cosign | kube-apiserver) echo 180 ;;
    helm | coredns) echo 100 ;;
    *) echo 30 ;;
  esac
}

# Prints the members of groups, and tools unchanged.
expand() {
  local name
  for name; do
    case $name in
      level1) echo etcd kube-apiserver kubectl ;;
      level2) expand level1 && echo kube-controller-manager kube-scheduler ;;
      level3) expand level2 && echo kubelet kube-proxy coredns pause ;;
      all) expand level3 && echo etcdctl registry cosign helm opa ;;
      *) version_of "$name" >/dev/null && echo "$name" ;;
    esac
  done
}

path_of() { echo "$cache/$1/$(version_of "$1")/$1"; }

# --- building -----------------------------------------------------------------------------------

# build_package MODULE PACKAGE OUT: builds PACKAGE of MODULE (path@version) in the current directory. Our own module requires
# it. This gives the dependencies of the release, without its test dependencies.
build_package() {
  local module=$1 package=$2 out=$3 ldflags=${4:-}
  [[ -f go.mod ]] || go mod init portcullis.local/tool
  [[ -z $module ]] || go mod edit -require "$module"
  go build -mod=mod -trimpath -ldflags "-s -w $ldflags" -o "$out" "$package"
}

# build_own DIRECTORY MODULE OUT: builds our own main program in DIRECTORY with MODULE
build_own() {
  cp "$1"/*.go .
  build_package "$2" . "$3"
}

# Kubernetes refers to its staging modules (k8s.io/api …) by directory; the proxy has them as v0.MINOR.PATCH.
build_kubernetes() {
  local program=$1 out=$2 staging
  go mod init portcullis.local/tool
  while read -r staging; do
    go mod edit -replace "$staging=$staging@v0.${KUBERNETES#1.}"
  done < <(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/^\t"GoMod": "\(.*\)",$/\1/p' |
    xargs sed -nE 's/^\s*(k8s.io\/\S+) => \.\/staging.*/\1/p')
  build_package "k8s.io/kubernetes@v$KUBERNETES" "k8s.io/kubernetes/cmd/$program" "$out" \
    "-X k8s.io/component-base/version.gitVersion=v$KUBERNETES"
}

build() {
  local name=$1 out=$2
  case $name in
    etcd) build_package "go.etcd.io/etcd/server/v3@v$ETCD" go.etcd.io/etcd/server/v3 "$out" ;;
    etcdctl) build_package "go.etcd.io/etcd/etcdctl/v3@v$ETCD" go.etcd.io/etcd/etcdctl/v3 "$out" ;;
    coredns) build_own "$here/coredns" "github.com/coredns/coredns@v$COREDNS" "$out" ;;
    pause) build_own "$here/pause" "" "$out" ;;
    registry) build_own "$here/registry" "github.com/distribution/distribution/v3@v$REGISTRY" "$out" ;;
    opa) build_package "github.com/open-policy-agent/opa@v$OPA" github.com/open-policy-agent/opa "$out" ;;
    cosign)
      build_package "github.com/sigstore/cosign/v3@v$COSIGN" github.com/sigstore/cosign/v3/cmd/cosign "$out" \
        "-X sigs.k8s.io/release-utils/version.gitVersion=v$COSIGN"
      ;;
    helm)
      build_package "helm.sh/helm/v4@v$HELM" helm.sh/helm/v4/cmd/helm "$out" \
        "-X helm.sh/helm/v4/internal/version.version=v$HELM"
      ;;
    *) build_kubernetes "$name" "$out" ;;
  esac
}

# Prints every second on a terminal, otherwise every 30 seconds, that a build is in progress. Ends with its caller.
progress() {
  local what=$1 caller=$2 seconds=0
  while kill -0 "$caller" 2>/dev/null; do
    if [[ -t 2 ]]; then
      printf '\rtools: %s … %d s\033[K\r' "$what" "$seconds" >&2
    elif ((seconds % 30 == 0)); then
      printf 'tools: %s … %d s\n' "$what" "$seconds" >&2
    fi
    sleep 1
    seconds=$((seconds + 1))
  done
}

# Runs one build with its own Go settings, independent of the user's Go caches and of an enclosing workspace.
build_isolated() {
  local name=$1 work=$2
  cd "$work/src"
  env GOCACHE="$cache/.build/go-cache" GOMODCACHE="$cache/.build/go-mod" \
    CGO_ENABLED=0 GOWORK=off GOFLAGS=-buildvcs=false GOTOOLCHAIN=local \
    nice -n 10 "$BASH" "$here/tools.sh" build-here "$name" "$work/out/$name"
}

# build_one NAME COUNT: COUNT says which of how many it is, for people.
build_one() {
  local name=$1 count=$2 tool home log work ticker status=0
  tool=$(path_of "$name")
  [[ ! -x $tool ]] || return 0
  home=$(dirname "$tool")
  log=$cache/.build/$name.log
  mkdir -p "$cache/.build" "$(dirname "$home")"
  exec {lock}>"$cache/.build/$name.lock"
  if ! flock --nonblock "$lock"; then
    printf 'tools: another process is building %s, waiting for it\n' "$name" >&2
    flock --timeout 2700 "$lock" || fail "waited 45 minutes for $name; which process holds $cache/.build/$name.lock?"
  fi
  if [[ ! -x $tool ]]; then
    rm -rf "$cache/.build/$name".tmp.* # from an interrupted build
    work=$(mktemp -d "$cache/.build/$name.tmp.XXXXXX")
    mkdir "$work/out" "$work/src"
    SECONDS=0
    progress "$count: building $name" $$ {lock}>&- &
    ticker=$!
    (build_isolated "$name" "$work") >"$log" 2>&1 {lock}>&- || status=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    if ((status)); then
      rm -rf "$work"
      tail -n 20 "$log" >&2
      fail "building $name failed after $SECONDS s; the whole log is $log"
    fi
    mv "$work/out" "$home"
    rm -rf "$work" "$log"
    printf 'tools: %s: built %s %s in %d s\n' "$count" "$name" "$(version_of "$name")" "$SECONDS" >&2
  fi
  exec {lock}>&-
}

# --- Debian packages ----------------------------------------------------------------------------

packages() {
  local package missing=()
  for package in "${NODE_PACKAGES[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || fail "a node needs Debian packages that are missing; as root: apt-get install -y --no-install-recommends ${missing[*]}"
  mkdir -p "$cache/.build"
  printf 'tools: installing Debian packages %s\n' "${missing[*]}" >&2
  # Some packages start a service on installation, which would leave a process behind. policy-rc.d prevents this.
  local policy=/usr/sbin/policy-rc.d created=
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && created=yes
  fi
  local status=0
  {
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"
  } >"$cache/.build/packages.log" 2>&1 || status=$?
  [[ -z $created ]] || rm -f "$policy"
  ((status == 0)) || fail "apt-get failed; see $cache/.build/packages.log"
}

# --- commands -----------------------------------------------------------------------------------

# Prints those of the tools that are not built.
missing() {
  local names name
  names=$(expand "$@") # a separate command, so that an unknown name ends the script
  for name in $names; do [[ -x $(path_of "$name") ]] || echo "$name"; done
}

# Fails before anything is built if this machine cannot build the missing tools. Otherwise says how long it takes.
check() {
  local names name seconds=0 found
  names=$(missing "$@")
  [[ -n $names ]] || return 0
  # shellcheck disable=SC2086 # words
  set -- $names
  command -v go >/dev/null || fail "Go is missing; it builds $* (install Go $GO or newer)"
  found=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true)
  found=${found#go}
  printf '%s\n%s\n' "$GO" "${found:-0}" | sort --check=quiet --version-sort ||
    fail "Go ${found:-of unknown version} is too old to build $* (install Go $GO or newer)"
  for name; do seconds=$((seconds + $(seconds_of "$name"))); done
  printf 'tools: %d to build, about %d minutes on two idle cores: %s\n' $# $(((seconds + 59) / 60)) "$*" >&2
}

build_missing() {
  local names name n=0
  check "$@"
  names=$(missing "$@")
  # shellcheck disable=SC2086 # words
  set -- $names
  for name; do
    n=$((n + 1))
    build_one "$name" "$n of $#"
  done
}

list() {
  local name tool
  for name in $(expand all); do
    tool=$(path_of "$name")
    printf '%-24s %-8s %s\n' "$name" "$(version_of "$name")" "$([[ -x $tool ]] && echo "$tool" || echo missing)"
  done
}

# Removes the tools of other versions. A checkout that uses them builds them again.
prune() {
  local lock name directory
  for lock in "$cache"/.build/*.lock; do
    [[ ! -e $lock ]] || flock --nonblock "$lock" true || fail "a tool is being built; try again later"
  done
  chmod -R u+w "$cache/.build" 2>/dev/null || true # Go makes its module cache read-only
  rm -rf "$cache/.build/go-cache" "$cache/.build/go-mod"
  for name in $(expand all); do
    for directory in "$cache/$name"/*; do
      if [[ -d $directory && ${directory##*/} != "$(version_of "$name")" ]]; then
        rm -rf "$directory"
        printf 'tools: removed %s %s\n' "$name" "${directory##*/}" >&2
      fi
    done
  done
}

case ${1:---help} in
  build) shift && build_missing "${@:-all}" ;;
  check)
    (($# > 1)) || fail "check what? see ./portcullis tools --help"
    shift && check "$@"
    ;;
  path)
    (($# == 2)) || fail "path of what? see ./portcullis tools --help"
    tool=$(path_of "$2")
    [[ -x $tool ]] || fail "$2 is not built; run: ./portcullis tools build $2"
    echo "$tool"
    ;;
  names) shift && expand "$@" ;;
  list) list ;;
  packages) packages ;;
  prune) prune ;;
  build-here) build "$2" "$3" ;; # internal: one build in the current directory, called by build_isolated
  -h | --help | help) usage ;;
  *)
    printf "tools: no command is called '%s'\n" "$1" >&2
    usage >&2
    exit 2
    ;;
esac
