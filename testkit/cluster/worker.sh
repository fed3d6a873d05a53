# shellcheck shell=bash
# Starts the daemons that run pods on a node: containerd, kubelet, kube-proxy. Sourced by node-init.sh at level 3.

start_worker() {
  mkdir -p "$dir/etc/cni" "$dir/state"
  hide_host_directories
  hide_host_sysctls
  make_cgroups
  start_containerd
  start_kubelet
  start_proxy
}

# containerd, CNI and the kubelet have these paths built in. Each node gets its own directories there, so that those of the
# host are not used.
hide_host_directories() {
  local directory
  for directory in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 portcullis "$directory"; done
}

# The kubelet sets these for the whole machine. Files with the expected values hide them, so that the kubelet does not write.
hide_host_sysctls() {
  local name value file
  while read -r name value; do
    file=$dir/state/${name//\//.}
    echo "$value" >"$file"
    mount --bind "$file" "/proc/sys/$name"
  done <<SYSCTLS
vm/overcommit_memory 1
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
SYSCTLS
}

# Creates one top-level cgroup for the node, for each controller in cgroup version 1. The kubelet stays below it.
make_cgroups() {
  local name hierarchy file
  name=$(node_cgroup "$node")
  if [[ -f /sys/fs/cgroup/cgroup.controllers ]]; then
    for file in "" "$name/"; do
      mkdir -p "/sys/fs/cgroup/$file"
      echo "+cpuset +cpu +io +memory +pids" >"/sys/fs/cgroup/${file}cgroup.subtree_control"
    done
    return
  fi
  for hierarchy in /sys/fs/cgroup/*/; do
    [[ -f $hierarchy/cgroup.procs && ! -L ${hierarchy%/} ]] || continue
    mkdir -p "$hierarchy/$name"
  done
  for file in cpuset.cpus cpuset.mems; do # a new cpuset is empty, and an empty one accepts no process
    cat "/sys/fs/cgroup/cpuset/$file" >"/sys/fs/cgroup/cpuset/$name/$file"
  done
}

start_containerd() {
  local image
  cat >"$dir/etc/cni/10-pods.conflist" <<JSON
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$dir/state/ipam", "ranges": [[{"subnet": "$(node_pod_cidr "$node")"}]],
            "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
JSON
  cat >"$dir/etc/containerd.toml" <<TOML
version = 2
root = "$dir/containerd"
state = "/run/containerd"
[grpc]
  address = "$dir/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/state/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  disable_apparmor = true
  restrict_oom_score_adj = true # the kernel refuses negative scores without CAP_SYS_RESOURCE
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/etc/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
TOML
  rm -rf "$dir/state/ipam" # the pods from before a restart of this node are gone
  run_daemon containerd containerd --config "$dir/etc/containerd.toml"
  until_true 60 containerd ctr --address "$dir/containerd.sock" version
  for image in "$run"/images/*.tar; do
    "$cluster_scripts/load-image.sh" "$dir/containerd.sock" "$image" >>"$logs/images.log" 2>&1
  done
}

start_kubelet() {
  cat >"$dir/etc/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$dir/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$(node_cgroup "$node")
failCgroupV1: false
failSwapOn: false
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $pki/node$node.crt
tlsPrivateKeyFile: $pki/node$node.key
clusterDomain: cluster.local
clusterDNS: [$dns_ip]
resolvConf: ""
podLogsDir: $dir/pod-logs
containerLogMaxSize: 5Mi
containerLogMaxFiles: 2
volumePluginDir: $dir/state/volume-plugins
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
nodeStatusUpdateFrequency: 4s
syncFrequency: 10s
nodeLeaseDurationSeconds: 12
YAML
  until_true 120 "the API server" api_is_ready
  run_daemon kubelet kubelet --config="$dir/etc/kubelet.yaml" --kubeconfig="$kubeconfigs/node$node" \
    --root-dir="$dir/kubelet" --hostname-override="node$node" --node-ip="$(node_ip "$node")"
}

start_proxy() {
  cat >"$dir/etc/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $kubeconfigs/proxy}
mode: nftables
clusterCIDR: $pod_cidr
hostnameOverride: node$node
conntrack: {maxPerCore: 0, min: 0}
YAML
  run_stoppable kube-proxy kube-proxy --config="$dir/etc/proxy.yaml" &
}
