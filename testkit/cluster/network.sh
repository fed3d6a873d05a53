# shellcheck shell=bash
# The cables between host and nodes: one bridge per cluster, one veth pair per node. Sourced by cluster.sh.

# The bridge is also the claim on a slot: the kernel lets only one process make it, and its hardware address, made from
# the name of the run directory, says whose it is. So nothing is lost when `up` is interrupted at any point.
claim_address() { sha256sum <<<"$run" | sed -E 's/^(..)(..)(..)(..)(..).*/02:\1:\2:\3:\4:\5/'; }

# Prints the slot that this run directory has claimed; fails if there is none.
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

raise_bridge() {
  ip addr add "$host_ip/24" dev "$bridge"
  ip link set "$bridge" up
  ip route add "$service_cidr" via "$api_ip" # the host reaches ClusterIPs through node 1's kube-proxy
}

# plug_in N PID: connects the network namespace of process PID as node N
plug_in() {
  local link address
  link=$(node_link "$1")
  # Always the same hardware address: to one that changed, others would send nothing for a minute after a restart.
  printf -v address '02:70:63:6c:%02x:%02x' "$slot" "$1"
  ip link add "$link" type veth peer name eth0 address "$address" netns "$2"
  ip link set "$link" master "$bridge" up
  ip route replace "$(node_pod_cidr "$1")" via "$(node_ip "$1")"
}

remove_bridge() { ip link del "$bridge" 2>/dev/null || true; }
