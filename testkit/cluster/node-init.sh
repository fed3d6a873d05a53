#!/usr/bin/env bash
# Process 1 of a node. All processes of the node are its descendants and end with it. Only cluster.sh starts it.
# Arguments: run directory, slot, node, level, number of nodes.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
export PORTCULLIS_RUN=$1
node=$3 level=$4 nodes=$5

# shellcheck source=settings.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/settings.sh"
# shellcheck source=control-plane.sh
. "$cluster_scripts/control-plane.sh"
# shellcheck source=worker.sh
. "$cluster_scripts/worker.sh"
addresses "$2"
dir=$(node_dir "$node")
logs=$run/log/node$node

readonly max_log_bytes=$((16 << 20))

join_network() {
  local other
  until_true 30 "the network link to the host" test -e "$dir/plugged-in"
  ip link set lo up
  ip addr add "$(node_ip "$node")/24" dev eth0
  ip link set eth0 up
  ip route add "$service_cidr" dev eth0 # kube-proxy rewrites these addresses, but only packets with a route reach it
  for ((other = 1; other <= nodes; other++)); do
    ((other == node)) || ip route add "$(node_pod_cidr "$other")" via "$(node_ip "$other")"
  done
  echo 1 >/proc/sys/net/ipv4/ip_forward # only in this network namespace
}

# run_daemon NAME COMMAND…: runs the command in the background and appends its output to a log
run_daemon() {
  local name=$1
  shift
  "${clean_environment[@]}" "$@" >>"$logs/$name.log" 2>&1 </dev/null &
}

# run_stoppable NAME COMMAND…: like run_daemon, but `cluster stop-daemon` ends it and `cluster start-daemon` starts it again.
# It does not restart a daemon that ends by itself.
run_stoppable() {
  local name=$1
  rm -f "$dir/$name.stopped"
  while true; do
    run_daemon "$@"
    echo $! >"$dir/$name.pid"
    wait $! || true
    [[ -e $dir/$name.stopped ]] || break
    rm "$dir/$name.pid"
    while [[ -e $dir/$name.stopped ]]; do sleep 0.1; done
  done
}

# Truncates a log above the size limit to its newer half. Daemons open the log for append, so they continue at the new end.
bound_log() {
  local log=$1
  (($(stat -c %s "$log") > max_log_bytes)) || return 0
  tail -c $((max_log_bytes / 2)) "$log" >"$log.tail"
  cat "$log.tail" >"$log"
  rm "$log.tail"
}

mount --make-rshared / # only in this mount namespace; pods see later mounts
hostname "node$node"
join_network
((node > 1)) || start_control_plane
((level < 3)) || start_worker

while true; do
  for log in "$logs"/*.log; do bound_log "$log"; done
  sleep 5 &
  wait $!
done
