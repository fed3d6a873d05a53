# shellcheck shell=bash disable=SC2153  # run.sh sets the variables in capitals
# What situations share. run.sh starts each situation as a process of its own, with this file sourced and these variables:
#   E2E_KUBECTL, E2E_HELM       flags that choose the cluster, one per line
#   E2E_NAMESPACE               where Portcullis is installed
#   E2E_SITUATION, E2E_LIMIT    the name of the situation; the longest time of one wait, in seconds
#   E2E_POLICIES, E2E_TAG       where the modules of the policies are: registry://$E2E_POLICIES/<name>:$E2E_TAG
#   E2E_CONTROLLER_FLAGS, E2E_DEFAULTS_FLAGS   flags of helm for the charts portcullis and portcullis-defaults, one per line
#   E2E_WORK                    a directory for files

# Everything that the suite creates has this label, with the situation as its value. Nothing without it is deleted.
readonly e2e_label=portcullis.io/e2e
readonly e2e_charts=${BASH_SOURCE[0]%/*}/../charts
# shellcheck disable=SC2034 # for situations
readonly name=e2e-$E2E_SITUATION shop=e2e-$E2E_SITUATION

mapfile -t e2e_kubectl <<<"$E2E_KUBECTL"
mapfile -t e2e_helm <<<"$E2E_HELM"

kubectl() { command kubectl "${e2e_kubectl[@]}" "$@"; }
helm() { command helm "${e2e_helm[@]}" --namespace "$E2E_NAMESPACE" "$@"; }

# Also seen when what a command prints goes elsewhere.
exec {e2e_log}>&2
note() { printf '%s %s\n' "$(date -u +%T)" "$*" >&"$e2e_log"; }

fail() {
  note "FAILED: $*"
  exit 1
}

# --- waiting ----------------------------------------------------------------------------------------------------------

# await WHAT COMMAND…: repeats the command until it succeeds; for what kubectl wait cannot express
await() {
  local what=$1 deadline=$((SECONDS + E2E_LIMIT))
  shift
  until "$@" >"$E2E_WORK/await" 2>&1; do
    if ((SECONDS >= deadline)); then
      cat "$E2E_WORK/await" >&2
      fail "waited $E2E_LIMIT s for $what"
    fi
    sleep 0.3
  done
}

# wait_for CONDITION OBJECT…: kubectl wait, with the time limit of the suite
wait_for() { kubectl wait --timeout="${E2E_LIMIT}s" --for="$1" "${@:2}"; }

# await_enforced KIND NAME [FLAG…]: the latest generation judges requests on every ready replica
await_enforced() { wait_for condition=Enforced "$1/$2" "${@:3}"; }

# await_gone OBJECT…: returns when it does not exist any more
await_gone() { kubectl wait --timeout="${E2E_LIMIT}s" --for=delete "$@"; }

# --- objects ----------------------------------------------------------------------------------------------------------

# create_namespace NAME [LABEL=VALUE…]: a namespace of users, in which the suite may also ask for privileged pods
create_namespace() {
  kubectl create namespace "$1"
  kubectl label namespace "$1" "$e2e_label=$E2E_SITUATION" pod-security.kubernetes.io/enforce=privileged "${@:2}"
  await "the service account of namespace $1" kubectl -n "$1" get serviceaccount default
}

# apply: applies the manifest on standard input. The API server may need a moment to reach a new controller.
apply() {
  local manifest deadline=$((SECONDS + E2E_LIMIT))
  manifest=$(cat)
  until kubectl apply -f - <<<"$manifest" 2>"$E2E_WORK/apply"; do
    cat "$E2E_WORK/apply" >&2
    if ! grep -q 'failed calling webhook' "$E2E_WORK/apply" || ((SECONDS >= deadline)); then fail 'kubectl apply'; fi
    sleep 0.5
  done
  cat "$E2E_WORK/apply" >&2
}

module() { echo "registry://$E2E_POLICIES/$1:$E2E_TAG"; }

# privileged_pods_policy [FIELD…]: applies a ClusterAdmissionPolicy $name that refuses privileged pods in the namespace $shop.
# Each FIELD is a line of the spec, such as "mode: monitor"; it replaces the field of that name.
privileged_pods_policy() { apply < <(cluster_policy "module: $(module privileged-pods)" "$@"); }

# cluster_policy FIELD…: prints a ClusterAdmissionPolicy $name for pods in the namespace $shop
cluster_policy() {
  metadata ClusterAdmissionPolicy
  spec 'policyServer: default' 'mutating: false' 'settings: {}' 'timeoutSeconds: 30' \
    "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $shop}}" "$pod_rules" "$@"
}
readonly pod_rules='rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]'

# metadata KIND [NAME]: prints the beginning of a manifest
metadata() {
  printf 'apiVersion: policies.kubewarden.io/v1\nkind: %s\nmetadata: {name: "%s", labels: {%s: "%s"}}\n' \
    "$1" "${2:-$name}" "$e2e_label" "$E2E_SITUATION"
}

# spec FIELD…: prints a spec; of fields with the same name the last one counts
spec() {
  local -A by_name=()
  local field
  for field; do by_name[${field%%:*}]=$field; done
  echo 'spec:'
  printf '  %s\n' "${by_name[@]}"
}

# create_server NAME [FIELD…]: a PolicyServer with one replica, from the same image and for the same registry as "default"
create_server() {
  local fields=('replicas: 1') field value
  for field in image imagePullSecret insecureSources sourceAuthorities; do
    value=$(kubectl get policyserver default -o "jsonpath={.spec.$field}")
    [[ -z $value ]] || fields+=("$field: $value")
  done
  { metadata PolicyServer "$1" && spec "${fields[@]}" "${@:2}"; } | apply
}

await_server() { # await_server NAME [REPLICAS]: every replica is ready
  await "the StatefulSet of PolicyServer $1" kubectl -n "$E2E_NAMESPACE" get statefulset "policy-server-$1"
  wait_for "jsonpath={.status.readyReplicas}=${2:-1}" -n "$E2E_NAMESPACE" "statefulset/policy-server-$1"
}

# has_one_replica NAME: the only pod is ready, and no rollout runs
has_one_replica() {
  [[ $(server_pods "$1" | wc -l) == 1 ]] &&
    [[ $(kubectl get policyserver "$1" -o 'jsonpath={.status.conditions[?(@.type=="Progressing")].message}') == '1 of 1 replicas ready'* ]]
}

# --- requests ---------------------------------------------------------------------------------------------------------

# pod NAME [privileged]: prints a pod that is never scheduled
pod() {
  local context='{}'
  [[ ${2:-} != privileged ]] || context='{"privileged": true}'
  printf '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}, "spec": {"schedulingGates": [{"name": "%s"}],
    "containers": [{"name": "main", "image": "example.com/none:1", "securityContext": %s}]}}\n' "$1" "$e2e_label" "$context"
}

# request NAMESPACE [privileged]: asks the API server for a pod, without creating one; prints the answer
request() { pod asked "${2:-}" | kubectl create --raw "/api/v1/namespaces/$1/pods?dryRun=All" -f - 2>&1; }

is_admitted() { request "$@" >"$E2E_WORK/answer"; }
is_denied() { ! request "$@" >"$E2E_WORK/answer" && grep -q 'denied the request' "$E2E_WORK/answer"; }

# denied NAMESPACE [privileged]: a policy refuses the pod. The API server reads a new webhook a moment after it is written.
denied() {
  await "a policy to refuse a pod in $1" is_denied "$@"
  note "refused: $(<"$E2E_WORK/answer")"
}

# admitted NAMESPACE [privileged]: the pod is admitted, at the latest when the API server has read the webhooks
admitted() { await "a pod to be admitted in $1" is_admitted "$@"; }

# start_requests NAMESPACE: asks for privileged pods in the background, one after the other, until finish_requests
start_requests() {
  : >"$E2E_WORK/requests"
  rm -f "$E2E_WORK/enough"
  send_requests "$1" &
  e2e_requests=$!
  await 'some requests before the change' has_requests 5
}

send_requests() {
  until [[ -e $E2E_WORK/enough ]]; do
    request "$1" privileged | tr '\n' ' ' >>"$E2E_WORK/requests" || true
    echo >>"$E2E_WORK/requests"
    sleep 0.3
  done
}

has_requests() { (($(wc -l <"$E2E_WORK/requests") >= $1)); }

# finish_requests: a policy must have refused every request; anything else is a request that was lost or not judged
finish_requests() {
  local sent
  sent=$(wc -l <"$E2E_WORK/requests")
  await 'some requests after the change' has_requests "$((sent + 5))"
  touch "$E2E_WORK/enough"
  wait "$e2e_requests"
  if grep -v 'denied the request' "$E2E_WORK/requests" >&2; then fail 'the policy did not judge these requests'; fi
  note "$(wc -l <"$E2E_WORK/requests") requests, all judged"
}

# is_denied_with TEXT NAMESPACE [privileged]
is_denied_with() { is_denied "${@:2}" && grep -qF -- "$1" "$E2E_WORK/answer"; }

# expect WHAT ACTUAL EXPECTED
expect() { [[ $2 == "$3" ]] || fail "$1 is '$2', not '$3'"; }

# contains FILE TEXT
contains() { grep -qF -- "$2" "$1" || { cat "$1" >&2 && fail "no such text: $2"; }; }

policy_field() { kubectl get clusteradmissionpolicy "$name" -o "jsonpath={$1}"; }

# server_pods NAME: UIDs and restarts of the replicas
server_pods() {
  kubectl -n "$E2E_NAMESPACE" get pods -l "app.kubernetes.io/instance=policy-server-$1" \
    -o 'jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\n"}{end}'
}

# policy_webhooks: names of webhook configurations of policies
policy_webhooks() {
  kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -l app.kubernetes.io/part-of=kubewarden -o name
}

# --- the installation -------------------------------------------------------------------------------------------------

# create_installation_namespace: where Portcullis is installed, with Pod Security "restricted"
create_installation_namespace() {
  kubectl create namespace "$E2E_NAMESPACE"
  kubectl label namespace "$E2E_NAMESPACE" "$e2e_label=install" pod-security.kubernetes.io/enforce=restricted
}

install_charts() {
  local controller=() defaults=()
  [[ -z $E2E_CONTROLLER_FLAGS ]] || mapfile -t controller <<<"$E2E_CONTROLLER_FLAGS"
  [[ -z $E2E_DEFAULTS_FLAGS ]] || mapfile -t defaults <<<"$E2E_DEFAULTS_FLAGS"
  install_chart portcullis-crds --wait
  install_chart portcullis --wait "${controller[@]}"
  install_chart portcullis-defaults "${defaults[@]}"
  await_server default
}

# install_chart NAME FLAG…: again while the API server does not reach the new controller yet
install_chart() {
  local chart=$1 deadline=$((SECONDS + E2E_LIMIT))
  shift
  # Definitions stay when a release is uninstalled, and then belong to a release that does not exist any more.
  until helm upgrade --install "$chart" "$e2e_charts/$chart" --take-ownership --timeout "${E2E_LIMIT}s" "$@" >"$E2E_WORK/helm" 2>&1; do
    cat "$E2E_WORK/helm" >&2
    if ! grep -q 'failed calling webhook' "$E2E_WORK/helm" || ((SECONDS >= deadline)); then fail "helm upgrade --install $chart"; fi
    sleep 1
  done
  note "chart $chart is installed"
}

uninstall_charts() {
  helm uninstall portcullis-defaults --wait --timeout "${E2E_LIMIT}s"
  helm uninstall portcullis --wait --timeout "${E2E_LIMIT}s"
}
