#!/usr/bin/env bash
# Runs a real Kubernetes cluster on this machine: `./portcullis cluster`. See --help, and docs/test-cluster.md for details.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail

# shellcheck source=settings.sh
. "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/settings.sh"
# shellcheck source=pki.sh
. "$cluster_scripts/pki.sh"
# shellcheck source=network.sh
. "$cluster_scripts/network.sh"
# shellcheck source=nodes.sh
. "$cluster_scripts/nodes.sh"

# The images of the pods that the cluster itself runs, and busybox for tests.
readonly system_images=(pause coredns busybox)

usage() {
  cat <<HELP
Usage: cluster COMMAND

  up [--level 1|2|3] [--nodes 1..3]   start the cluster, unless it already has this size or more (default: level 3, 1 node)
       level 1: etcd and kube-apiserver, for tests in seconds
       level 2: adds kube-controller-manager and kube-scheduler
       level 3: adds containerd, kubelet, kube-proxy and CoreDNS on each node: pods run
  up --use-kubeconfig [FILE]          use an existing cluster instead: FILE, or the default of kubectl
  check [--level 1|2|3]               print why this machine cannot run this level, or how long building its tools takes
  prepare [--level 1|2|3]             get the tools and images
  has [--level …] [--nodes …]         succeed if the cluster is up with at least this size
  status                              print the nodes, their addresses and their memory use
  kubectl ARGUMENT…                   run kubectl for this cluster
  host-address                        print the address at which nodes and API server reach processes on this machine
  load-image TAR                      load an image into every node
  stop-node N, start-node N           kill all processes of a node at once; start the node again
  cut-node N, heal-node N             disconnect the network of a node; connect it again
  stop-daemon NAME, start-daemon NAME kill etcd, kube-apiserver or node 1's kube-proxy; start it again with the same data
  forget-history                      compact etcd, so that continue tokens of paged lists expire
  down                                stop the cluster and remove all its processes, mounts, interfaces, cgroups and routes

State: $run   (set PORTCULLIS_RUN to change it; each run directory is a separate cluster)
HELP
}

fail() {
  printf 'cluster: %s\n' "$*" >&2
  exit 1
}

say() { printf 'cluster: %s\n' "$*"; }

# --- state --------------------------------------------------------------------------------------

# $run/up holds "LEVEL NODES" (or "external"). It exists only while a cluster is up, and is written when the cluster is
# ready.
is_up() { [[ -e $run/up ]]; }
is_external() { [[ $(cat "$run/up" 2>/dev/null) == external ]]; }

# has LEVEL NODES: succeeds if the cluster is up with at least this size. It also checks that the control plane runs, because
# processes may have been killed without `down`.
has() {
  local level nodes
  is_up || return 1
  ! is_external || return 0
  read -r level nodes <"$run/up"
  ((level >= $1 && nodes >= $2)) && node_pid 1 >/dev/null 2>&1
}

# Sets level, nodes and addresses of the cluster that is up, or fails.
load_state() {
  is_up || fail "no cluster is up in $run; start one with: cluster up"
  is_external && fail "this is your own cluster, used through its kubeconfig: this command does not work with it"
  read -r level nodes <"$run/up"
  addresses "$(claimed_slot || fail "the network of $run is gone; repair with: cluster down")"
}

kubectl() { KUBECONFIG=$admin_kubeconfig "$bin/kubectl" "$@"; }

preflight() {
  local program missing=()
  ((EUID == 0)) || fail "namespaces and bridges need root; run as root, or use your own cluster with --use-kubeconfig"
  for program in openssl curl ip unshare flock; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  ((${#missing[@]} == 0)) || fail "missing programs: ${missing[*]} (Debian: apt-get install openssl curl iproute2 util-linux)"
  case $run/ in
    /run/* | /var/lib/* | /var/log/*) fail "PORTCULLIS_RUN must not be below /run, /var/lib or /var/log: nodes have their own" ;;
  esac
  # A Unix socket's path has at most 107 bytes.
  ((${#run} <= 80)) || fail "the path $run is too long for sockets in it; set PORTCULLIS_RUN to a shorter one"
}

# --- up -----------------------------------------------------------------------------------------

# Sets level and nodes from the arguments of up, has and prepare.
read_size() {
  level=3 nodes=1
  while (($#)); do
    case $1 in
      --level) level=${2:-} && shift 2 ;;
      --nodes) nodes=${2:-} && shift 2 ;;
      *) usage >&2 && exit 2 ;;
    esac
  done
  [[ $level == [123] ]] || fail "--level is 1, 2 or 3"
  [[ $nodes == [123] ]] || fail "--nodes is 1, 2 or 3"
  ((level == 3)) || nodes=1
}

up() {
  local level nodes n
  if [[ ${1:-} == --use-kubeconfig ]]; then
    use_kubeconfig "${2:-}"
    return
  fi
  read_size "$@"
  if has "$level" "$nodes"; then
    say "already up in $run"
    return
  fi
  prepare "$level"
  link_tools "level$level"
  ((level < 3)) || link_images
  remove_remains # from a smaller cluster or an interrupted `up`
  rm -rf "$run/log"
  mkdir -p "$shared/shared"
  chmod 1777 "$shared" "$shared/shared"

  SECONDS=0
  addresses "$(claim_slot)"
  configure_bridge
  make_pki "$level" "$nodes"
  for ((n = 1; n <= nodes; n++)); do start_node "$n"; done
  await_ready
  echo "$level $nodes" >"$run/up"
  say "level $level with $nodes node(s) is ready after $SECONDS s; export KUBECONFIG=$admin_kubeconfig"
}

# check LEVEL: fails with what is missing on this machine, before anything is built
check() {
  ! is_external || return 0
  preflight
  "$tools_script" check "level$1"
}

# prepare LEVEL: does everything that may take long or fail on this machine, before any process starts
prepare() {
  local image
  ! is_external || return 0
  preflight
  "$tools_script" build "level$1"
  (($1 == 3)) || return 0
  "$tools_script" packages
  for image in "${system_images[@]}"; do "$image_script" system "$image" >/dev/null; done
}

use_kubeconfig() {
  "$tools_script" build kubectl
  link_tools kubectl
  remove_remains
  mkdir -p "$kubeconfigs"
  KUBECONFIG=${1:-${KUBECONFIG:-$HOME/.kube/config}} "$bin/kubectl" config view --flatten --minify >"$run/kubeconfig.new"
  chmod 600 "$run/kubeconfig.new"
  mv "$run/kubeconfig.new" "$admin_kubeconfig"
  kubectl --request-timeout=10s get --raw /readyz >/dev/null || fail "the API server of that cluster does not respond"
  echo external >"$run/up"
  say "using $("$bin/kubectl" --kubeconfig="$admin_kubeconfig" config view -o 'jsonpath={.clusters[0].cluster.server}')"
}

# link_tools NAME: links a tool, or the tools of a group, into $bin in this cluster's version
link_tools() {
  local name
  mkdir -p "$bin"
  for name in $("$tools_script" names "$1"); do ln -sfn "$("$tools_script" path "$name")" "$bin/$name"; done
}

link_images() {
  local name
  mkdir -p "$run/images"
  for name in "${system_images[@]}"; do ln -sfn "$("$image_script" system "$name")" "$run/images/$name.tar"; done
}

await_ready() {
  local n
  await_api
  ((level >= 2)) || return 0
  ((level < 3)) || apply_manifests dns storage
  await_objects 60 create serviceaccount/default # the API server refuses pods without it
  ((level >= 3)) || return 0
  for ((n = 1; n <= nodes; n++)); do await_node "$n"; done
  kubectl -n kube-system rollout status deployment/coredns --timeout=120s >/dev/null || give_up "DNS"
}

await_api() { until_true 120 "the API server" api_is_ready || give_up "the API server"; }

await_node() {
  await_objects 120 create "node/node$1"
  await_objects 120 condition=Ready "node/node$1"
}

# await_objects SECONDS CONDITION OBJECT
await_objects() { kubectl wait --timeout="$1s" --for="$2" "$3" >/dev/null || give_up "$3 ($2)"; }

give_up() { fail "$1 did not get ready; the logs are in $run/log, and: cluster down"; }

apply_manifests() {
  local name
  for name; do manifest "$name" | kubectl apply -f - >/dev/null; done
}

# Prints one of our manifests with the addresses and directories of this cluster.
manifest() {
  local text
  text=$(<"$cluster_scripts/manifests/$1.yaml")
  text=${text//\$\{dns_ip\}/$dns_ip}
  echo "${text//\$\{shared\}/$shared}"
}

# --- down ---------------------------------------------------------------------------------------

down() {
  remove_remains
  rm -rf "$bin" "$run/images"
  say "down; the last logs are in $run/log"
}

# Removes everything except tools, images and logs, in whatever state the cluster is.
remove_remains() {
  local n slot_before
  rm -f "$run/up"
  if slot_before=$(claimed_slot); then
    ((EUID == 0)) || fail "stopping the cluster needs root"
    addresses "$slot_before"
    for n in 1 2 3; do kill_node "$n"; done
    remove_bridge
  fi
  for n in 1 2 3; do rm -rf "$(node_dir "$n")"; done
  rm -rf "$pki" "$kubeconfigs" "$shared"
}

# --- other commands -----------------------------------------------------------------------------

status() {
  is_up || {
    say "no cluster is up in $run"
    return 1
  }
  if is_external; then
    say "using your own cluster through $admin_kubeconfig"
  else
    local n
    load_state
    say "level $level, $nodes node(s), API $api_url, host $host_ip, kubeconfig $admin_kubeconfig"
    for ((n = 1; n <= nodes; n++)); do
      say "node$n $(node_ip "$n"): $(node_pid "$n" >/dev/null && echo "running, $(node_memory "$n") MB" || echo stopped)"
    done
  fi
  kubectl --request-timeout=5s get --raw /readyz >/dev/null || fail "the API server is not ready"
  say "the API server is ready"
}

load_image() {
  local n tar=${1:-}
  load_state
  [[ -f $tar ]] || fail "load which image? give the path of a tar"
  ((level == 3)) || fail "only a cluster of level 3 has nodes to load an image into"
  for ((n = 1; n <= nodes; n++)); do
    ! node_pid "$n" >/dev/null || "$cluster_scripts/load-image.sh" "$(node_dir "$n")/containerd.sock" "$tar"
  done
}

# with_node COMMAND N: checks that N is a node of this cluster, then runs the command for it
with_node() {
  load_state
  [[ ${2:-} == [123] && ${2:-} -le $nodes ]] || fail "which node? give a number from 1 to $nodes"
  "$1" "$2"
}

stop_node() { kill_node "$1" && say "node$1 is stopped"; }
restart_node() {
  ! node_pid "$1" >/dev/null || fail "node$1 is running"
  local since
  since=$(date -u +%FT%TZ)
  start_node "$1"
  await_api
  if ((level == 3)); then
    # The API server may still report the node as ready, because it has not yet detected the failure.
    until_true 120 "a lease renewal of node$1" lease_renewed "$1" "$since" || give_up "node$1"
    await_node "$1"
  fi
  say "node$1 is running"
}

# lease_renewed N SINCE: succeeds if node N has renewed its lease since then
lease_renewed() {
  local renewed
  renewed=$(kubectl --request-timeout=5s -n kube-node-lease get lease "node$1" -o 'jsonpath={.spec.renewTime}') &&
    [[ $renewed > $2 ]]
}
cut_node() { ip link set "$(node_link "$1")" down; }
heal_node() { ip link set "$(node_link "$1")" up; }

# with_daemon COMMAND NAME: checks that NAME is a daemon that can be stopped, then runs the command for it
with_daemon() {
  load_state
  [[ ${2:-} =~ ^(etcd|kube-apiserver|kube-proxy)$ ]] || fail "which daemon? give etcd, kube-apiserver or kube-proxy"
  "$1" "$2"
}

# Kills the daemon without a chance to clean up, as a crash does. The PID is from the PID namespace of the node.
stop_daemon() {
  local pid
  pid=$(<"$(node_dir 1)/$1.pid")
  touch "$(node_dir 1)/$1.stopped"
  nsenter --target "$(node_pid 1)" --pid kill -KILL "$pid"
  until_true 30 "the end of $1" test ! -e "$(node_dir 1)/$1.pid"
  say "$1 is stopped"
}

start_daemon() {
  rm -f "$(node_dir 1)/$1.stopped"
  await_api
  say "$1 is running"
}

# Does the same as the API server every five minutes: first writes the compaction revision to this key, then compacts.
forget_history() {
  local revision
  load_state
  revision=$(etcd kv/range '{"key": "eA=="}' | sed -n 's/.*"revision":"\([0-9]*\)".*/\1/p')
  etcd kv/put "{\"key\": \"$(base64_of compact_rev_key)\", \"value\": \"$(base64_of "$revision")\"}" >/dev/null
  etcd kv/compaction "{\"revision\": $revision, \"physical\": true}" >/dev/null
  say "etcd is compacted; revisions before $revision are gone"
}
base64_of() { printf %s "$1" | base64 -w 0; }

# etcd PATH JSON: sends one request to the etcd of node 1, which listens only on that node's loopback
etcd() {
  nsenter --target "$(node_pid 1)" --net curl --silent --show-error --fail --data "$2" "http://127.0.0.1:2379/v3/$1"
}

# Serialises the commands that change the cluster. start_node does not pass the lock to the processes that it starts.
exclusively() {
  mkdir -p "$run"
  exec {lock}>"$run/lock"
  flock --timeout 300 "$lock" || fail "another command has been changing this cluster for five minutes"
  "$@"
}

command=${1:---help}
(($# == 0)) || shift
case $command in
  up) exclusively up "$@" ;;
  check | prepare)
    read_size "$@"
    "$command" "$level"
    ;;
  has)
    read_size "$@"
    has "$level" "$nodes"
    ;;
  down) exclusively down ;;
  status) status ;;
  kubectl)
    is_up || fail "no cluster is up in $run; start one with: cluster up"
    KUBECONFIG=$admin_kubeconfig exec "$bin/kubectl" "$@"
    ;;
  host-address)
    load_state
    echo "$host_ip"
    ;;
  load-image) exclusively load_image "$@" ;;
  stop-node) exclusively with_node stop_node "$@" ;;
  start-node) exclusively with_node restart_node "$@" ;;
  cut-node) exclusively with_node cut_node "$@" ;;
  heal-node) exclusively with_node heal_node "$@" ;;
  stop-daemon) exclusively with_daemon stop_daemon "$@" ;;
  start-daemon) exclusively with_daemon start_daemon "$@" ;;
  forget-history) exclusively forget_history ;;
  -h | --help | help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
