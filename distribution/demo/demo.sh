#!/usr/bin/env bash
# From nothing to a cluster with policies, told step by step: `./portcullis demo`. See --help.
# Every step checks what it shows; the first that is not as told ends the demo with exit code 1.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here root=${here%/*/*}
readonly namespace=kubewarden policy=no-privileged-pods group=pods-with-care
run=$(realpath -m -- "${PORTCULLIS_RUN:-${XDG_STATE_HOME:-$HOME/.local/state}/portcullis/demo}")
readonly run stage=$run/demo # where commands are typed
export PORTCULLIS_RUN=$run
readonly cluster=$root/testkit/cluster/cluster.sh tools=$root/testkit/tools/tools.sh
readonly registry_pid=$stage/registry.pid

usage() {
  cat <<HELP
Usage: ./portcullis demo [--keep]
       ./portcullis demo --check
       ./portcullis demo --down

Starts a real Kubernetes on this machine, installs Portcullis with its charts, and shows what it does: a policy is enforced,
changed under load, broken, rolled back; a group of policies; an audit. Takes three minutes once tools are cached, needs root.

  --keep   leave the cluster running at the end, and say how to play with it
  --check  only say what is missing on this machine, and how long building the tools takes
  --down   take down what --keep left
  --help   this text

State: $run   (PORTCULLIS_RUN moves it)
HELP
}

# --- telling ----------------------------------------------------------------------------------------------------------

bold='' dim='' green='' red='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
fi
steps=0

step() { # step TITLE, then what it is about on standard input
  steps=$((steps + 1))
  printf '\n%s%d. %s%s\n' "$bold" "$steps" "$1" "$plain"
  sed 's/^/   /'
}
passed() { printf '   %s✓ %s%s\n' "$green" "$1" "$plain"; }
failed() {
  printf '   %s✗ %s%s\n' "$red" "$1" "$plain"
  exit 1
}
indented() { sed "s/^/     /"; }

# --- doing ------------------------------------------------------------------------------------------------------------

work='' current='' load='' watch='' images='' registry='' keep='' finished=''

# Runs a command in a group of its own, so that Ctrl-C, which only we get, ends it with all that it started.
run() {
  local status=0
  setsid "$@" </dev/null >"$work/output" 2>&1 &
  current=$!
  wait "$current" || status=$?
  current=''
  return "$status"
}

# quietly COMMAND…: shows what it printed only if it fails
quietly() { run "$@" || { indented <"$work/output" && failed "failed: $*"; }; }

# Shows a command as a user would type it, runs it and shows what it prints.
show() {
  printf '   %s$ %s%s\n' "$dim" "$*" "$plain"
  local status=0
  run "$@" || status=$?
  indented <"$work/output"
  return "$status"
}

# shown COMMAND…: as show, and must succeed
shown() { show "$@" || failed "failed: $*"; }

# patiently COMMAND…: on a busy machine the API server may not reach our webhooks in time, or not yet; a user would try again
patiently() {
  local deadline=$((SECONDS + 90))
  until "$@"; do
    if ! said 'failed calling webhook' || ((SECONDS >= deadline)); then return 1; fi
    sleep 2
  done
}

# Applies a manifest.
applied() { patiently show kubectl apply -f "$(manifest "$1")" || failed 'failed: kubectl apply'; }

said() { grep -qF -- "$1" "$work/output"; }

manifest() { echo "examples/cluster/$1.yaml"; }

status_of() { kubectl get "$1" "$2" -o "jsonpath={.status.$3}"; }

# awaited SECONDS WHAT COMMAND…
awaited() {
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || failed "waited in vain for $what"
    sleep 0.2
  done
}

end() { # end PID [GROUP]: a process of ours, or all of its group; waits for it if it is a child
  [[ -n $1 ]] || return 0
  kill -TERM -- "${2:-}$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

clean_up() {
  local status=$?
  trap '' INT TERM
  trap - EXIT
  end "$load"
  end "$watch"
  end "$images" -
  end "$current" -
  if [[ -z $keep || -z $finished ]]; then
    if [[ -n $work ]]; then
      printf '\nTaking everything down.\n'
      take_down
    fi
  fi
  [[ -z $work ]] || rm -rf "$work"
  exit "$status"
}

take_down() {
  if [[ -f $registry_pid ]] && grep -qa registry "/proc/$(<"$registry_pid")/cmdline" 2>/dev/null; then
    kill "$(<"$registry_pid")" 2>/dev/null || true
  fi
  "$cluster" down >/dev/null 2>&1 || "$cluster" down
  rm -rf "$stage"
}

# --- the steps --------------------------------------------------------------------------------------------------------

check() {
  local program missing=()
  for program in curl python3 setsid; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  if ((${#missing[@]})); then
    echo "demo: missing programs: ${missing[*]} (Debian: apt-get install curl python3 util-linux)" >&2
    return 1
  fi
  "$cluster" check --level 3
  "$tools" check helm registry
}

prepare() {
  "$tools" build helm registry level3
  "$cluster" prepare --level 3
  work=$(mktemp -d)
  rm -rf "$stage"
  mkdir -p "$stage"
  cp -r "$root/examples" "$stage"
  ln -s "$root/charts" "$root/policies" "$stage"
}

start_cluster() {
  step 'A real Kubernetes on this machine' <<TXT
etcd, API server, controllers, scheduler, and a node with containerd and kubelet. Meanwhile our programs become images,
without a container engine.
TXT
  printf '   %s$ ./portcullis image build …%s\n' "$dim" "$plain"
  # shellcheck disable=SC2016 # the inner shell's
  setsid bash -c 'for name in controller policy-server audit-scanner; do "$0" build "$name" "$1/$name.tar" || exit 1; done' \
    "$root/testkit/images/image.sh" "$work" </dev/null >"$work/images" 2>&1 &
  images=$!
  printf '   %s$ ./portcullis cluster up%s\n' "$dim" "$plain"
  quietly "$cluster" up --level 3
  export KUBECONFIG=$run/kubeconfig/admin PATH=$run/bin:$root/dist/bin:$PATH
  ln -sfn "$("$tools" path helm)" "$run/bin/helm"
  cd "$stage"
  shown kubectl get nodes
  printf '\n   To look around in another terminal:\n     %s\n\n' "$(way_in)"
  wait "$images" || { indented <"$work/images" && failed 'images could not be built'; }
  images=''
  local name
  for name in controller policy-server audit-scanner; do quietly "$cluster" load-image "$work/$name.tar"; done
  passed 'the node is ready and has our images'
}

# What a reader types to be where the commands of the demo are typed.
way_in() { echo "cd $stage && export KUBECONFIG=$KUBECONFIG PATH=$run/bin:$root/dist/bin:\$PATH"; }

start_registry() {
  local address port data=$stage/registry
  address=$("$cluster" host-address)
  port=$(python3 -c 'import socket, sys; s = socket.socket(); s.bind((sys.argv[1], 0)); print(s.getsockname()[1])' "$address")
  registry=$address:$port
  mkdir -p "$data"
  cat >"$data.yml" <<YML
version: 0.1
log: {level: warn, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: "$data"}}
http: {addr: "$registry"}
YML
  OTEL_TRACES_EXPORTER=none setsid "$("$tools" path registry)" serve "$data.yml" </dev/null >"$data.log" 2>&1 &
  echo $! >"$registry_pid"
  disown
  awaited 20 'the registry' curl --silent --fail "http://$registry/v2/"
  grep -rl 'registry\.example\.com' examples | xargs sed -i "s|registry\.example\.com|$registry|"
  echo "insecure_sources: [\"$registry\"]" >sources.yml
}

push_policies() {
  step 'Policies go into a registry' <<TXT
A real registry, on this machine. Policies are WebAssembly modules; these are written in Rust, Rego and Go.
TXT
  start_registry
  local name
  for name in privileged-pods:v1 gatekeeper-privileged-containers:v2 go-namespace-labels:v1; do
    shown kwctl push --sources-path sources.yml "policies/${name%:*}/policy.wasm" "registry://$registry/policies/$name"
  done
  passed 'three policies are pushed'
}

install_charts() {
  step 'Installing Portcullis' <<TXT
Three charts: definitions, the controller, and a PolicyServer with two replicas. The namespace enforces Pod Security
"restricted".
TXT
  quietly kubectl create namespace "$namespace"
  quietly kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted
  install_chart portcullis-crds --wait
  install_chart portcullis --values examples/values/portcullis.yaml --wait --timeout 5m
  install_chart portcullis-defaults --values examples/values/portcullis-defaults.yaml
  shown helm list --namespace "$namespace"
  awaited 60 'the StatefulSet of the policy server' kubectl -n "$namespace" get statefulset policy-server-default
  shown kubectl -n "$namespace" rollout status statefulset/policy-server-default --timeout=300s
  shown kubectl -n "$namespace" get pods
  [[ $(ready_replicas) == 2 ]] || failed 'two replicas should be ready'
  passed 'controller and two replicas of the policy server are ready'
}

install_chart() { # install_chart NAME FLAG…
  # As in the pages for operators: what failed halfway can be repeated.
  local command=(helm upgrade --install "$1" "charts/$1" --namespace "$namespace" "${@:2}")
  printf '   %s$ %s%s\n' "$dim" "${command[*]}" "$plain"
  patiently run "${command[@]}" || { indented <"$work/output" && failed "failed: ${command[*]}"; }
}

ready_replicas() { kubectl -n "$namespace" get statefulset policy-server-default -o 'jsonpath={.status.readyReplicas}'; }

activate_policy() {
  step 'A policy, from Pending to Active' <<TXT
A privileged pod exists before the first policy (step 10 finds it). Now the policy is created. The leader pulls, verifies and
compiles it once. Every replica loads it and proves it. Only then the controller creates the webhook.
TXT
  quietly kubectl apply -f "$(manifest namespaces)"
  awaited 30 'service accounts' kubectl -n shop get serviceaccount default
  shown kubectl -n shop create -f "$(manifest privileged-pod)"
  setsid kubectl get clusteradmissionpolicies --watch --no-headers \
    -o 'custom-columns=GENERATION:.metadata.generation,PHASE:.status.phase,ENFORCED:.status.activeGeneration' \
    --v=6 </dev/null >"$work/phases" 2>"$work/watch" &
  watch=$!
  awaited 30 'the watch to begin' grep -q 'watch=true' "$work/watch"
  applied no-privileged-pods
  shown kwctl wait "$policy" --timeout 180s
  end "$watch"
  watch=''
  printf '   What "kubectl get clusteradmissionpolicies --watch" saw (generation, phase, enforced generation):\n'
  awk '$2 != "<none>" && $0 != last { print; last = $0 }' "$work/phases" | indented
  awk '$2 == "Pending" { pending = 1 } $2 == "Active" && pending { found = 1 } END { exit !found }' "$work/phases" ||
    failed 'the policy should have been Pending, then Active'
  shown kubectl get clusteradmissionpolicies -o wide
  passed 'Pending, then Active: every replica has proved that it serves generation 1'
}

judged() { ! kubectl -n "$1" create --dry-run=server -f "$(manifest privileged-pod)"; }

# refused NAMESPACE WORDS: a privileged pod is refused there by the API server, with these words
refused() {
  awaited 20 'the API server to hear of the webhook' judged "$1" # it does so a moment after the webhook is written
  ! show kubectl -n "$1" create --dry-run=server -f "$(manifest privileged-pod)" || failed 'the privileged pod should have been refused'
  said 'denied the request' || failed 'it should have been a policy that refused'
  said "$2" || failed "the refusal should have said: $2"
}

enforce() {
  step 'The API server refuses a privileged pod' <<TXT
kubectl sends an ordinary request. The API server calls the policy.
TXT
  refused shop 'first version'
  shown kubectl -n shop create -f "$(manifest ordinary-pod)"
  shown kwctl what-applies shop --resource pods
  passed 'the privileged pod is refused, the ordinary one is created'
}

update_under_load() {
  step 'An update under load' <<TXT
The API server gets 40 requests a second, half of them for privileged pods. Meanwhile the policy changes its code: a module
in Rego replaces the one in Rust. Nothing restarts.
TXT
  kubectl config view --raw --minify -o json >"$work/kubeconfig.json"
  python3 "$here/load.py" --namespace shop --rate 40 --marker first --marker second \
    <"$work/kubeconfig.json" >"$work/load" 2>"$work/load.errors" &
  load=$!
  sleep 3 # of requests before the change
  applied no-privileged-pods-update
  shown kwctl wait "$policy" --timeout 180s
  sleep 3 # of requests after it
  end "$load"
  load=''
  local sent=0 admitted=0 refused=0 failed=0 wrong=0 first=0 second=0
  # shellcheck disable=SC2046 # words of the form name=number
  local $(grep -oE '\b[a-z]+=[0-9]+' "$work/load")
  printf '   %d requests: %d admitted, %d refused (%d by the old code, %d by the new), %d failed, %d judged wrongly\n' \
    "$sent" "$admitted" "$refused" "$first" "$second" "$failed" "$wrong"
  indented <"$work/load.errors"
  ((sent > 100 && first > 0 && second > 0)) || failed 'requests should have been judged by both generations'
  ((failed == 0 && wrong == 0)) || failed 'no request should have failed or been judged wrongly'
  [[ $(restarts) == 0 ]] || explain_restarts
  shown kubectl -n "$namespace" get pods
  passed "$sent requests sent, $failed failed; no pod restarted"
}

restarts() {
  kubectl -n "$namespace" get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' |
    awk '{ for (i = 1; i <= NF; i++) n += $i } END { print n + 0 }'
}

explain_restarts() {
  kubectl -n "$namespace" get pods -o 'jsonpath={range .items[*]}{.metadata.name}: {.status.containerStatuses[*].lastState}{"\n"}{end}' | indented
  kubectl -n "$namespace" get events --field-selector type=Warning | indented
  kubectl -n "$namespace" get pods -o name | while read -r pod; do
    { kubectl -n "$namespace" logs "$pod" --previous --tail=30 2>/dev/null || true; } | indented
  done
  failed 'no pod should have restarted'
}

break_it() {
  step 'A broken update has no effect on requests' <<TXT
A setting is misspelt. The new generation fails before a webhook refers to it. The old generation stays enforced.
TXT
  applied no-privileged-pods-broken
  ! show kwctl wait "$policy" --timeout 60s || failed 'the broken generation should not have been enforced'
  shown kwctl status "$policy"
  [[ $(status_of clusteradmissionpolicy "$policy" phase) == Failed ]] || failed 'the phase should be Failed'
  [[ $(status_of clusteradmissionpolicy "$policy" activeGeneration) == 2 ]] || failed 'generation 2 should be enforced'
  refused shop 'second version'
  passed 'phase Failed with the cause; generation 2 still refuses'
}

roll_back() {
  step 'A rollback' <<TXT
Generation 4 restores generation 2, with exactly the same module bytes.
TXT
  shown kwctl rollback "$policy" --to 2 --wait
  shown kubectl get clusteradmissionpolicies -o wide
  [[ $(status_of clusteradmissionpolicy "$policy" phase) == Active ]] || failed 'the phase should be Active'
  [[ $(kubectl get clusteradmissionpolicy "$policy" -o 'jsonpath={.spec.message}') == *'second version'* ]] ||
    failed 'the content of generation 2 should be back'
  refused shop 'second version'
  shown kubectl get events --field-selector "involvedObject.name=$policy" --sort-by=.metadata.creationTimestamp \
    -o 'custom-columns=REASON:.reason,MESSAGE:.message'
  said RolledBack || failed 'there should be an Event RolledBack'
  passed 'Active again; the Events list every step'
}

judge_by_group() {
  step 'A group of policies' <<TXT
Several policies, one verdict: unprivileged() || owned(). The second one reads the namespace from the cluster.
TXT
  applied pods-with-care
  shown kwctl wait "$group" --timeout 180s
  refused workshop 'namespace with an owner'
  shown kubectl label namespace workshop owner=anna
  awaited 30 'the policy to see the label' kubectl -n workshop create --dry-run=server -f "$(manifest privileged-pod)"
  shown kubectl -n workshop create --dry-run=server -f "$(manifest privileged-pod)"
  passed 'refused without an owner, admitted with one'
}

audit() {
  step 'An audit of existing objects' <<TXT
The audit scanner, a CronJob of the chart, evaluates existing objects and writes a report for each.
TXT
  shown kubectl -n "$namespace" create job audit-now --from=cronjob/audit-scanner
  shown kubectl -n "$namespace" wait --for=condition=Complete --timeout=120s job/audit-now
  shown kubectl -n shop get reports.openreports.io \
    -o 'custom-columns=OBJECT:.scope.name,PASS:.summary.pass,FAIL:.summary.fail,MESSAGE:.results[*].message'
  grep -qE '^privileged-\S+ +0 +1 ' "$work/output" || failed 'the privileged pod should have a failure in its report'
  grep -qE '^ordinary-\S+ +1 +0 ' "$work/output" || failed 'the ordinary pod should have passed'
  passed 'the privileged pod of step 4 is found, the ordinary one passes'
}

farewell() {
  printf '\n%sDone in %d s: %d steps, all as told.%s\n' "$bold" "$SECONDS" "$steps" "$plain"
  finished=yes
  [[ -n $keep ]] || return 0
  cat <<TXT

The cluster keeps running. Try:
  $(way_in)
  kwctl status $policy
  kubectl describe clusteradmissionpolicy $policy
  kubectl edit clusteradmissionpolicy $policy
  kubectl -n shop create -f $(manifest privileged-pod)
Policies are in registry://$registry/policies.
To stop it:
  ./portcullis demo --down
TXT
}

while (($#)); do
  case $1 in
    --keep) keep=yes ;;
    --check)
      check
      exit
      ;;
    --down)
      take_down
      exit
      ;;
    -h | --help)
      usage
      exit
      ;;
    *)
      usage >&2
      exit 2
      ;;
  esac
  shift
done
if "$cluster" has --level 1; then
  echo "demo: a cluster is up in $run; take it down with: ./portcullis demo --down" >&2
  exit 1
fi
SECONDS=0
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
prepare
start_cluster
push_policies
install_charts
activate_policy
enforce
update_under_load
break_it
roll_back
judge_by_group
audit
farewell
