# shellcheck shell=bash
# Creates the cluster's certificates and kubeconfigs. Sourced by cluster.sh; needs settings.sh.

# make_pki LEVEL NODES: creates only the files that the level needs, because an API server must be ready in seconds
make_pki() {
  local level=$1 nodes=$2 n
  mkdir -p "$pki" "$kubeconfigs"
  chmod 700 "$pki" "$kubeconfigs"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=portcullis-test-cluster \
    -addext keyUsage=critical,digitalSignature,keyCertSign,cRLSign \
    -keyout "$pki/ca.key" -out "$pki/ca.crt" 2>/dev/null
  openssl ecparam -name prime256v1 -genkey -noout -out "$pki/service-accounts.key"
  openssl ec -in "$pki/service-accounts.key" -pubout -out "$pki/service-accounts.pub" 2>/dev/null
  certificate apiserver /CN=kube-apiserver \
    "DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:127.0.0.1,IP:$api_ip,IP:$kubernetes_ip"
  client admin /O=system:masters/CN=portcullis-admin
  ((level >= 2)) || return 0
  client controller-manager /CN=system:kube-controller-manager
  client scheduler /CN=system:kube-scheduler
  ((level >= 3)) || return 0
  certificate apiserver-to-kubelet /O=system:masters/CN=kube-apiserver-kubelet-client
  client proxy /CN=system:kube-proxy
  for ((n = 1; n <= nodes; n++)); do
    client "node$n" "/O=system:nodes/CN=system:node:node$n" "DNS:node$n,IP:$(node_ip "$n")"
  done
}

# certificate NAME SUBJECT [ALTERNATIVE-NAMES]
certificate() {
  local name=$1 subject=$2 names=${3:-} key=(ec -pkeyopt ec_paramgen_curve:P-256)
  [[ $name != admin ]] || key=(rsa:2048) # some clients in tests support no other key type
  openssl req -x509 -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -newkey "${key[@]}" -nodes -days 3650 \
    -subj "$subject" -addext basicConstraints=critical,CA:FALSE -addext keyUsage=critical,digitalSignature \
    -addext extendedKeyUsage=clientAuth,serverAuth ${names:+-addext "subjectAltName=$names"} \
    -keyout "$pki/$name.key" -out "$pki/$name.crt" 2>/dev/null
}

# client NAME SUBJECT [ALTERNATIVE-NAMES]: creates a certificate and a kubeconfig that uses it
client() {
  certificate "$@"
  cat >"$kubeconfigs/$1" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: portcullis, cluster: {server: "$api_url", certificate-authority-data: $(base64 -w0 "$pki/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 "$pki/$1.crt"), client-key-data: $(base64 -w0 "$pki/$1.key")}}]
contexts: [{name: portcullis, context: {cluster: portcullis, user: $1}}]
current-context: portcullis
YAML
}
