#!/usr/bin/env bash
# Creates the AOT caches (JEP 514): each program does real work once, and the JVM stores the classes and profiles.
# Usage: train.sh DIST
set -euo pipefail
dist=$1
root=$(cd "$dist/.." && pwd)
work=$(mktemp -d)
server_pid="" api_server_pid="" program_pid="" side_pid=""
end_programs() {
  local pid
  for pid in $server_pid $program_pid $api_server_pid $side_pid; do kill "$pid" 2>/dev/null || true; done
}
trap 'end_programs; rm -rf "$work"' EXIT

# train PROGRAM ARGUMENTS…: runs the program, which writes the cache when it exits
train() {
  local program=$1
  shift
  PORTCULLIS_AOT_OUTPUT="$work/$program.aot" "$dist/bin/$program" "$@" >"$work/$program.log" 2>&1 || true
  publish "$program"
}

publish() {
  if [ -s "$work/$1.aot" ]; then
    mv "$work/$1.aot" "$dist/lib/$1.aot"
  else
    tail -n 5 "$work/$1.log" >&2
    return 1
  fi
}

# Starts the server on ports of its own, sends requests to one policy of each kind as an API server does (TLS, HTTP/2), and
# stops it. A few hundred requests are enough for the profiles of the code that each request runs.
train_server() {
  local port=$((20000 + RANDOM % 6000)) policy review tls=() scheme=http
  if openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=training \
    -keyout "$work/tls.key" -out "$work/tls.crt" >/dev/null 2>&1; then
    tls=(--cert-file "$work/tls.crt" --key-file "$work/tls.key") scheme=https
  fi
  PORTCULLIS_AOT_OUTPUT="$work/policy-server.aot" "$dist/bin/policy-server" --standalone --addr 127.0.0.1 \
    --port "$port" --readiness-probe-port $((port + 1)) --policies "$root/distribution/launcher/kinds.yml" \
    --policies-download-dir "$work/policies" --drain-lag 0s "${tls[@]}" >"$work/policy-server.log" 2>&1 &
  server_pid=$!
  for _ in $(seq 600); do
    curl -fs -o /dev/null "http://127.0.0.1:$((port + 1))/readiness" 2>/dev/null && break
    kill -0 "$server_pid" 2>/dev/null || break
    sleep 0.1
  done
  for policy in rust mutating opa gatekeeper go group; do
    for review in rejected allowed; do
      train_requests "$scheme://127.0.0.1:$port/validate/$policy" "$root/examples/$review-review.json"
    done
  done
  train_requests "$scheme://127.0.0.1:$port/validate_raw/raw" "$root/examples/raw-review.json"
  kill "$server_pid" 2>/dev/null || true
  wait "$server_pid" 2>/dev/null || true
  server_pid=
  publish policy-server
}

# Sends the file $2 to the address $1, 200 times over one connection. Refused requests train the server too.
train_requests() {
  curl -sk -m 60 -o /dev/null -H 'Content-Type: application/json' --data-binary "@$2" "$1?request=[1-200]" || true
}

# Trains the process that prepares modules with one module. The process ends when its input ends, so the pipe stays open.
train_preparation() {
  local feeder
  "$dist/bin/policy-server" prepare --module "$root/policies/privileged-pods/policy.wasm" --write-job "$work/job" >/dev/null
  mkfifo "$work/pipe"
  exec 9<>"$work/pipe"
  cat "$work/job" >&9 &
  feeder=$!
  PORTCULLIS_AOT_OUTPUT="$work/preparation.aot" PORTCULLIS_AOT_MAIN=io.portcullis.server.preparation.child.PreparationChild \
    JAVA_OPTS=-XX:TieredStopAtLevel=1 "$dist/bin/policy-server" $((8 << 30)) 600 <&9 >/dev/null 2>"$work/preparation.log" || true
  kill "$feeder" 2>/dev/null || true
  exec 9>&-
  publish preparation
}

# Trains kwctl with frequent command lines, in one process, and with a policy that is compiled already.
train_kwctl() {
  local policy=$root/policies/privileged-pods/policy.wasm
  export XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config PORTCULLIS_AOT_MAIN=io.portcullis.kwctl.AotTraining
  cat >"$work/request.json" <<'JSON'
{"uid": "1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "operation": "CREATE",
 "resource": {"group": "", "version": "v1", "resource": "pods"}, "dryRun": false, "userInfo": {"username": "alice", "groups": []},
 "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "generation": 1}, "spec": {"containers": [
   {"name": "c", "image": "i", "securityContext": {"privileged": true}}]}}}
JSON
  printf '%s\n' 'skip_init_containers: true' >"$work/settings.yml"
  cat >"$work/policy.yaml" <<YAML
apiVersion: policies.kubewarden.io/v1
kind: ClusterAdmissionPolicy
metadata: {name: pods}
spec: {module: "file://$policy", settings: {}, rules: []}
YAML
  "$dist/bin/kwctl" run "$policy" -r "$work/request.json" >/dev/null 2>&1 || true
  train kwctl \
    --version ';' -V ';' --help ';' run --help ';' nothing ';' \
    run "$policy" -r "$work/request.json" --settings-json '{"skip_init_containers": true}' ';' \
    run "$policy" -r "$work/request.json" --settings-path "$work/settings.yml" -o text ';' \
    run "$work/policy.yaml" -r "$work/request.json" ';' \
    run "$work/none.wasm" -r "$work/request.json" ';' \
    inspect "$policy" ';' inspect -o yaml "$policy" ';' policies ';' info ';' \
    scaffold manifest -t ClusterAdmissionPolicy "$policy" ';'
  unset XDG_CACHE_HOME XDG_CONFIG_HOME PORTCULLIS_AOT_MAIN
}

# cluster_training PROGRAM STARTED ARGUMENTS…: trains a program for clusters. A build has no cluster, so the API server is a
# stand-in that accepts every write and lists one policy server and one policy. STARTED is the log line of a complete start.
cluster_training() {
  local program=$1 started=$2
  shift 2
  : >"$work/$program.log"
  PORTCULLIS_AOT_OUTPUT="$work/$program.aot" KUBECONFIG="$work/kubeconfig" "$dist/bin/$program" "$@" \
    >"$work/$program.log" 2>&1 &
  program_pid=$!
  for _ in $(seq 300); do
    grep -q "$started" "$work/$program.log" && break
    kill -0 "$program_pid" 2>/dev/null || break
    sleep 0.1
  done
  sleep 2 # the first reconcile passes; they have no visible end, and less training is harmless
  kill "$program_pid" 2>/dev/null || true
  wait "$program_pid" 2>/dev/null || true
  program_pid=
  publish "$program"
}

start_empty_api_server() {
  local port=$1
  cat >"$work/kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: empty, cluster: {server: "http://127.0.0.1:$port"}}]
users: [{name: nobody, user: {token: none}}]
contexts: [{name: empty, context: {cluster: empty, user: nobody}}]
current-context: empty
YAML
  cat >"$work/policyserver.json" <<'JSON'
{"apiVersion": "policies.kubewarden.io/v1", "kind": "PolicyServer", "metadata": {"name": "trained-server", "uid": "s",
 "resourceVersion": "1", "generation": 1}, "spec": {"image": "localhost/none:1", "replicas": 1}}
JSON
  cat >"$work/policy.json" <<'JSON'
{"apiVersion": "policies.kubewarden.io/v1", "kind": "ClusterAdmissionPolicy", "metadata": {"name": "trained-policy", "uid": "p",
 "resourceVersion": "1", "generation": 1}, "spec": {"policyServer": "trained-server", "module": "registry://localhost/none:1",
 "mutating": false, "settings": {}, "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
 "operations": ["CREATE"]}]}}
JSON
  "$JAVA_HOME/bin/java" "$root/distribution/launcher/EmptyApiServer.java" "$port" "policyservers=$work/policyserver.json" \
    "clusteradmissionpolicies=$work/policy.json" >"$work/api-server.log" 2>&1 &
  api_server_pid=$!
  for _ in $(seq 100); do
    curl -fs -o /dev/null "http://127.0.0.1:$port/version" 2>/dev/null && return
    sleep 0.1
  done
  cat "$work/api-server.log" >&2
  return 1
}

train_controller() {
  local port=$((26000 + RANDOM % 6000))
  start_empty_api_server $((port + 3))
  cluster_training controller 'controller started' --deployments-namespace none --webhook-server-port $((port + 2)) \
    --health-probe-bind-address "127.0.0.1:$port" --metrics-bind-address "127.0.0.1:$((port + 1))"
  kill "$api_server_pid"
  api_server_pid=
}

command -v curl >/dev/null || { echo 'curl is missing; it sends the requests of the training' >&2 && exit 1; }
# Side by side: each of them waits a lot.
(
  trap end_programs EXIT
  train_kwctl
  train_controller
) &
side_pid=$!
train_preparation
train_server
wait "$side_pid"
