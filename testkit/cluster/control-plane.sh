# shellcheck shell=bash
# Starts the control plane on node 1: etcd, kube-apiserver and, from level 2, controller-manager and scheduler.
# Sourced by node-init.sh.

start_control_plane() {
  start_etcd
  start_apiserver
  ((level >= 2)) || return 0
  start_controllers &
}

start_etcd() {
  # No fsync: the data lives as long as the test cluster, and a loaded disk would slow every write.
  run_stoppable etcd etcd --name node1 --data-dir "$dir/etcd" --log-level warn --unsafe-no-fsync \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster node1=http://127.0.0.1:2380 &
  # Wait, because an API server that cannot reach etcd backs off for seconds.
  until_true 60 etcd curl --silent --fail http://127.0.0.1:2379/readyz
}

start_apiserver() {
  # shellcheck disable=SC2054 # commas separate the values of one flag
  local arguments=(
    --etcd-servers=http://127.0.0.1:2379
    --advertise-address="$api_ip"
    --service-cluster-ip-range="$service_cidr"
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key"
    --client-ca-file="$pki/ca.crt"
    --service-account-issuer=https://kubernetes.default.svc.cluster.local
    --service-account-key-file="$pki/service-accounts.pub"
    --service-account-signing-key-file="$pki/service-accounts.key"
    --authorization-mode=Node,RBAC
    --enable-admission-plugins=NodeRestriction
    --allow-privileged=true
    # Pods of a stopped node are evicted after seconds, not minutes.
    --default-not-ready-toleration-seconds=20 --default-unreachable-toleration-seconds=20
  )
  if ((level < 3)); then
    # There is no kube-proxy, so the API server itself resolves the endpoints of webhook Services.
    arguments+=(--enable-aggregator-routing=true)
  else
    arguments+=(
      --kubelet-certificate-authority="$pki/ca.crt"
      --kubelet-client-certificate="$pki/apiserver-to-kubelet.crt"
      --kubelet-client-key="$pki/apiserver-to-kubelet.key"
      --kubelet-preferred-address-types=InternalIP
    )
  fi
  run_stoppable kube-apiserver kube-apiserver "${arguments[@]}" &
}

start_controllers() {
  until_true 120 "the API server" api_is_ready # before that, they fail and back off for seconds
  run_daemon kube-controller-manager kube-controller-manager --kubeconfig="$kubeconfigs/controller-manager" \
    --leader-elect=false --bind-address=127.0.0.1 --use-service-account-credentials=true \
    --service-account-private-key-file="$pki/service-accounts.key" --root-ca-file="$pki/ca.crt" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" \
    --node-monitor-period=2s --node-monitor-grace-period=16s
  run_daemon kube-scheduler kube-scheduler --kubeconfig="$kubeconfigs/scheduler" \
    --leader-elect=false --bind-address=127.0.0.1
}
