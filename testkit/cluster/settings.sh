# shellcheck shell=bash disable=SC2034  # sourced; the variables are for the scripts that source it
# Paths and addresses of a cluster. Sourced by cluster.sh on the host and by node-init.sh in a node.

cluster_scripts=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tools_script=$cluster_scripts/../tools/tools.sh
image_script=$cluster_scripts/../images/image.sh

# All state of a cluster is below its run directory. Each run directory is a separate cluster.
run=${PORTCULLIS_RUN:-${XDG_STATE_HOME:-$HOME/.local/state}/portcullis/cluster}
pki=$run/pki
kubeconfigs=$run/kubeconfig
admin_kubeconfig=$kubeconfigs/admin
shared=$run/shared # one directory that every node mounts; represents ReadWriteMany storage
bin=$run/bin       # links to the tools in this cluster's versions

# Each cluster on a machine has its own slot (0..15). All addresses are from 198.18.0.0/16, which RFC 2544 reserves for
# tests, so that they do not conflict with a developer's networks.
readonly max_slots=16
addresses() {
  slot=$1
  bridge=pcl$slot
  node_network=198.18.$((slot * 16))
  host_ip=$node_network.1
  api_ip=$(node_ip 1)
  api_url=https://$api_ip:6443
  pod_cidr=198.18.$((slot * 16 + 4)).0/22
  service_network=198.18.$((slot * 16 + 8))
  service_cidr=$service_network.0/21
  kubernetes_ip=$service_network.1
  dns_ip=$service_network.10
}
node_ip() { echo "$node_network.$(($1 + 1))"; }
node_pod_cidr() { echo "198.18.$((slot * 16 + 3 + $1)).0/24"; }
node_link() { echo "${bridge}n$1"; } # the host side of the node's veth pair
node_cgroup() { echo "portcullis-$slot-node$1"; }
node_dir() { echo "$run/node$1"; }

# The first words of a command that runs without the caller's exported variables: proxies, Go and Kubernetes settings.
clean_environment=(env -i "PATH=$bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root)

# until_true SECONDS WHAT COMMAND…: repeats the command until it succeeds; fails with WHAT after SECONDS
until_true() {
  local limit=$1 what=$2 deadline
  shift 2
  deadline=$((SECONDS + limit))
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS >= deadline)); then
      printf 'cluster: timed out after %s s while waiting for %s\n' "$limit" "$what" >&2
      return 1
    fi
    sleep 0.05
  done
}

api_is_ready() { curl --silent --fail --max-time 5 --cacert "$pki/ca.crt" "$api_url/readyz"; }
