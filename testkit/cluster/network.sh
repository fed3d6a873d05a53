# shellcheck shell=bash
# Connects the host and the nodes: one bridge for each cluster, one veth pair for each node. Sourced by cluster.sh.

# The bridge also claims the slot, because the kernel lets only one process create it. Its hardware address is derived from
# the path of the run directory and identifies the owner. So an `up` that is interrupted at any point can be cleaned up.
claim_address() { sha256sum <<<"$run" | sed -E 's/^(..)(..)(..)(..)(..).*/02:\1:\2:\3:\4:\5/'; }

# Prints the slot that this run directory has claimed, or fails.
claimed_slot() {
  local address link
  address=$(claim_address)
  for link in /sys/class/net/pcl*; do
    [[ -d $link/bridge && $(<"$link/address") == "$address" ]] || continue
    echo "${link##*/pcl}"
    return 0
  done
  return 1
}

claim_slot() {
  local candidate address
  address=$(claim_address)
  for ((candidate = 0; candidate < max_slots; candidate++)); do
    if ip link add "pcl$candidate" address "$address" type bridge 2>/dev/null; then
      echo "$candidate"
      return 0
    fi
  done
  fail "all $max_slots slots are taken, or this kernel has no bridges; see: ip link show type bridge"
}

configure_bridge() {
  ip addr add "$host_ip/24" dev "$bridge"
  ip link set "$bridge" up
  ip route add "$service_cidr" via "$api_ip" # the host reaches ClusterIPs through node 1's kube-proxy
}

# connect_node N PID: connects the network namespace of process PID as node N
connect_node() {
  local link address
  link=$(node_link "$1")
  # A fixed hardware address. With a new address, other hosts could not reach the node for a minute after a restart.
  printf -v address '02:70:63:6c:%02x:%02x' "$slot" "$1"
  ip link add "$link" type veth peer name eth0 address "$address" netns "$2"
  ip link set "$link" master "$bridge" up
  ip route replace "$(node_pod_cidr "$1")" via "$(node_ip "$1")"
}

remove_bridge() { ip link del "$bridge" 2>/dev/null || true; }
