#!/usr/bin/env bash
# End-to-end tests against any cluster: `./portcullis e2e`. See --help, and docs/contributors/end-to-end-tests.md.
# Each file in situations/ is one situation of a user. It runs as a process of its own, with lib.sh sourced.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly here
readonly situations=${E2E_SITUATIONS:-$here/situations}
readonly label=portcullis.io/e2e
# These remove the installation, so they run only on one that this suite has made.
readonly removing=' delete-namespace uninstall '
readonly kinds=clusteradmissionpolicies,clusteradmissionpolicygroups,admissionpolicies,admissionpolicygroups

usage() {
  cat <<'HELP'
Usage: ./portcullis e2e --context NAME --policies-registry HOST/PATH [FLAGS] [SITUATION…]
       ./portcullis e2e --list

Installs Portcullis on a cluster with its charts, checks what users rely on, one situation after the other, and removes
everything again. Without SITUATION it runs all of them. It needs kubectl, helm and bash, and the rights of a cluster administrator.

  --context NAME             the context of the kubeconfig to use; never a default, so that no other cluster is hit by mistake
  --kubeconfig FILE          the kubeconfig (default: as kubectl finds it)
  --namespace NS             where Portcullis is installed (default: portcullis-e2e; with --skip-install: where it is)
  --image-registry HOST/PATH where the images controller, policy-server and audit-scanner are (default: as the charts say)
  --image-tag TAG            their tag (default: as the charts say)
  --values FILE              values of the chart portcullis; can be repeated
  --defaults-values FILE     values of the chart portcullis-defaults; can be repeated
  --policies-registry HOST/PATH   where the modules of policies/ are: registry://HOST/PATH/<name>:<tag>
  --policies-tag TAG         their tag (default: e2e)
  --policies-insecure        that registry has no TLS, or a certificate that policy servers do not trust
  --skip-install             test the installation that is there, and leave it; skips situations that would remove it
  --keep                     remove nothing at the end
  --timeout SECONDS          the longest time of one wait (default: 120)
  --list                     print the situations
  --help                     this text

One line for each situation: ok or not ok, seconds, name. Exit codes: 0 all ok; 1 not all ok; 2 the arguments make no sense.
How to push images and policies: docs/contributors/end-to-end-tests.md
HELP
}

say() { printf 'e2e: %s\n' "$*" >&2; }
nonsense() {
  say "$*"
  say 'see: ./portcullis e2e --help'
  exit 2
}
give_up() {
  say "$*"
  exit 1
}

# --- arguments --------------------------------------------------------------------------------------------------------

context='' kubeconfig='' namespace='' image_registry='' image_tag='' policies='' policies_tag=e2e insecure=''
skip_install='' keep='' list='' limit=120
controller_flags=() defaults_flags=() wanted=()

read_arguments() {
  while (($#)); do
    case $1 in
      --context | --kubeconfig | --namespace | --image-registry | --image-tag | --values | --defaults-values | \
        --policies-registry | --policies-tag | --timeout)
        [[ -n ${2:-} && ${2:-} != --* ]] || nonsense "$1 needs a value"
        case $1 in --kubeconfig | --values | --defaults-values) [[ -f $2 && -r $2 ]] || nonsense "$1: no such file: $2" ;; esac
        read_value "$1" "$2"
        shift
        ;;
      --policies-insecure) insecure=yes ;;
      --skip-install) skip_install=yes ;;
      --keep) keep=yes ;;
      --list) list=yes ;;
      -h | --help)
        usage
        exit
        ;;
      -*) nonsense "no such flag: $1" ;;
      *) wanted+=("$1") ;;
    esac
    shift
  done
}

read_value() {
  case $1 in
    --context) context=$2 ;;
    --kubeconfig) kubeconfig=$(realpath -- "$2") ;;
    --namespace) namespace=$2 ;;
    --image-registry) image_registry=${2%/} ;;
    --image-tag) image_tag=$2 ;;
    --values) controller_flags+=(--values "$(realpath -- "$2")") ;;
    --defaults-values) defaults_flags+=(--values "$(realpath -- "$2")") ;;
    --policies-registry) policies=${2%/} ;;
    --policies-tag) policies_tag=$2 ;;
    --timeout) limit=$2 ;;
  esac
}

check_arguments() {
  local known situation
  known=" $(names | tr '\n' ' ') "
  for situation in "${wanted[@]}"; do
    [[ $known == *" $situation "* ]] || nonsense "no such situation: $situation (see --list)"
    [[ -z $skip_install || $removing != *" $situation "* ]] || nonsense "$situation removes the installation: not with --skip-install"
    [[ -z $skip_install || $situation != install ]] || nonsense 'install and --skip-install contradict each other'
  done
  [[ $limit =~ ^[1-9][0-9]{0,4}$ ]] || nonsense "--timeout is a number of seconds, not: $limit"
  [[ -n $context ]] || nonsense 'say which cluster: --context NAME (see: kubectl config get-contexts)'
  [[ -n $policies ]] || nonsense 'say where the policies are: --policies-registry HOST/PATH'
  [[ $policies != *://* ]] || nonsense "--policies-registry has no scheme: ${policies#*://}"
  [[ -z $namespace || $namespace =~ ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$ ]] || nonsense "not the name of a namespace: $namespace"
  [[ -z $skip_install || -z $image_registry$image_tag && ${#controller_flags[@]}${#defaults_flags[@]} == 00 ]] ||
    nonsense 'images and values are for an installation: not with --skip-install'
}

# --- situations -------------------------------------------------------------------------------------------------------

files() { find "$situations" -maxdepth 1 -name '[0-9]*-*.sh' | LC_ALL=C sort; }
name_of() { sed -E 's|.*/[0-9]+-(.*)\.sh$|\1|' <<<"$1"; }
names() { local file && for file in $(files); do name_of "$file"; done; }
# The first line of each file is a comment: the situation in one sentence.
sentence_of() { sed -n '1s/^# *//p' "$1"; }

list_situations() {
  local file
  for file in $(files); do printf '%-20s %s\n' "$(name_of "$file")" "$(sentence_of "$file")"; done
}

# is_wanted NAME: Portcullis is installed first, whichever situations are wanted
is_wanted() {
  [[ $1 != install || -n $skip_install ]] || return 0
  ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $1 "* ]]
}

# --- the cluster ------------------------------------------------------------------------------------------------------

kubectl() { command kubectl "${kubectl_flags[@]}" "$@"; }
helm() { command helm "${helm_flags[@]}" --namespace "$namespace" "$@"; }

check_cluster() {
  local program server
  for program in kubectl helm; do
    command -v "$program" >/dev/null || give_up "$program is not on the path"
  done
  kubectl_flags=(--context "$context") helm_flags=(--kube-context "$context")
  [[ -z $kubeconfig ]] || kubectl_flags+=(--kubeconfig "$kubeconfig") helm_flags+=(--kubeconfig "$kubeconfig")
  server=$(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}') || give_up "the kubeconfig has no context $context"
  kubectl --request-timeout=20s get --raw /readyz >/dev/null || give_up "the cluster of context $context does not answer: $server"
  printf 'Cluster: context %s, %s\n' "$context" "$server"
}

# Prints the namespaces in which a controller runs.
installed_in() {
  kubectl get deployments --all-namespaces -l app.kubernetes.io/name=kubewarden-controller -o 'jsonpath={.items[*].metadata.namespace}'
}

# is_ours NAMESPACE: whether this suite has made it, now or in an earlier run
is_ours() { [[ -n $(kubectl get namespaces "--field-selector=metadata.name=$1" -l "$label" -o name) ]]; }

choose_namespace() {
  local found
  found=$(installed_in)
  if [[ -n $skip_install ]]; then
    [[ -n $found ]] || give_up 'Portcullis is not installed on this cluster; leave --skip-install out'
    namespace=${namespace:-${found%% *}}
    [[ " $found " == *" $namespace "* ]] || give_up "Portcullis is not in namespace $namespace, but in $found"
  else
    [[ -z $found ]] || is_ours "$found" || give_up "Portcullis or Kubewarden is installed in namespace $found already: use --skip-install, or another cluster"
    namespace=${namespace:-portcullis-e2e}
    ! kubectl get namespace "$namespace" >/dev/null 2>&1 || is_ours "$namespace" ||
      give_up "namespace $namespace exists and was not made by this suite: choose another by --namespace"
  fi
  printf 'Portcullis: namespace %s%s\n' "$namespace" "${skip_install:+ (not installed by this run)}"
}

definitions() { kubectl get customresourcedefinitions -o name | grep -E '\.(policies\.kubewarden\.io|openreports\.io|wgpolicyk8s\.io)$' || true; }

chart_flags() {
  [[ -z $image_registry ]] || controller_flags+=(--set "image.repository=$image_registry/controller"
    --set "auditScanner.image.repository=$image_registry/audit-scanner")
  [[ -z $image_registry ]] || defaults_flags+=(--set "policyServer.image.repository=$image_registry/policy-server")
  [[ -z $image_tag ]] || controller_flags+=(--set-string "image.tag=$image_tag,auditScanner.image.tag=$image_tag")
  [[ -z $image_tag ]] || defaults_flags+=(--set-string "policyServer.image.tag=$image_tag")
  [[ -z $insecure ]] || defaults_flags+=(--set-json "policyServer.insecureSources=[\"${policies%%/*}\"]")
}

lines() { (($# == 0)) || printf '%s\n' "$@"; }

export_settings() {
  E2E_KUBECTL=$(lines "${kubectl_flags[@]}") E2E_HELM=$(lines "${helm_flags[@]}")
  E2E_CONTROLLER_FLAGS=$(lines "${controller_flags[@]}") E2E_DEFAULTS_FLAGS=$(lines "${defaults_flags[@]}")
  E2E_NAMESPACE=$namespace E2E_LIMIT=$limit E2E_POLICIES=$policies E2E_TAG=$policies_tag E2E_WORK=$work
  export E2E_KUBECTL E2E_HELM E2E_CONTROLLER_FLAGS E2E_DEFAULTS_FLAGS E2E_NAMESPACE E2E_LIMIT E2E_POLICIES E2E_TAG E2E_WORK
}

# --- running ----------------------------------------------------------------------------------------------------------

failures=0 running=''

# run_situation FILE: prints one line, and on failure what helps
run_situation() {
  local name status=0 since=$SECONDS
  name=$(name_of "$1")
  # A group of its own: whatever the situation started ends with it.
  # shellcheck disable=SC2016 # the inner shell's
  E2E_SITUATION=$name setsid timeout "$((limit * 5))" bash -eEuo pipefail -c '. "$0"; . "$1"' "$here/lib.sh" "$1" \
    </dev/null >"$work/log" 2>&1 &
  running=$!
  wait "$running" || status=$?
  kill -KILL -- "-$running" 2>/dev/null || true
  running=''
  if ((status == 0)); then
    printf 'ok     %4d s  %s\n' "$((SECONDS - since))" "$name"
    [[ -n $keep || $name == install ]] || remove_situation "$name" >"$work/removal" 2>&1
  else
    failures=$((failures + 1))
    printf 'not ok %4d s  %s: %s\n' "$((SECONDS - since))" "$name" "$(sentence_of "$1")"
    ((status != 124)) || echo "The situation took longer than $((limit * 5)) s." >>"$work/log"
    indented 'what it did' tail -n 60 "$work/log"
    diagnose
  fi
  ((status == 0))
}

# remove_situation NAME: situations do not disturb each other; the next one need not wait
remove_situation() {
  kubectl delete "$kinds,policyservers" --all-namespaces -l "$label=$1" --wait=false || true
  kubectl delete namespaces -l "$label=$1" --wait=false || true
}

# indented TITLE COMMAND…: prints what a command prints; it may fail
indented() {
  printf '  --- %s\n' "$1"
  { timeout 60 "${@:2}" 2>&1 || true; } | sed 's/^/  /'
}
# The same for kubectl with our flags.
show() { indented "$1" kubectl "${kubectl_flags[@]}" "${@:2}"; }

diagnose() {
  local status='{range .items[*]}{.kind} {.metadata.namespace} {.metadata.name}: {.status.phase}{range .status.conditions[?(@.status!="True")]}
  {.type}={.status} {.reason}: {.message}{end}{"\n"}{end}'
  show 'policies and what is not True of them' get "$kinds" --all-namespaces -o "jsonpath=$status"
  show 'policy servers' get policyservers -o "jsonpath=$status"
  show "pods in $namespace" -n "$namespace" get pods -o wide
  show "events in $namespace" -n "$namespace" get events --sort-by=.lastTimestamp
  show 'events about policies' -n default get events --sort-by=.lastTimestamp
  show 'logs of our pods' -n "$namespace" logs -l app.kubernetes.io/part-of=kubewarden --all-containers --prefix --tail=40
  show 'logs of the controller' -n "$namespace" logs deployment/kubewarden-controller --tail=40
}

# --- the end ----------------------------------------------------------------------------------------------------------

# remove_users_objects: what situations left, with the controller's help
remove_users_objects() {
  [[ -n $(definitions) ]] || return 0
  kubectl delete "$kinds" --all-namespaces -l "$label" --ignore-not-found --timeout="${limit}s" &&
    kubectl delete policyservers -l "$label" --ignore-not-found --timeout="${limit}s"
}

# remove_installation: the charts, and what they leave when their own removal fails
remove_installation() {
  local release
  for release in portcullis-defaults portcullis portcullis-crds; do
    ! helm status "$release" >/dev/null 2>&1 || helm uninstall "$release" --wait --timeout "${limit}s" ||
      helm uninstall "$release" --no-hooks || true
  done
  kubectl delete --ignore-not-found -l app.kubernetes.io/part-of=kubewarden validatingwebhookconfigurations,mutatingwebhookconfigurations || true
  kubectl delete --ignore-not-found -l app.kubernetes.io/part-of=kubewarden clusterroles,clusterrolebindings || true
  kubectl delete --ignore-not-found -l app.kubernetes.io/part-of=kubewarden validatingadmissionpolicies,validatingadmissionpolicybindings || true
  [[ -n $(definitions) ]] || return 0
  remove_finalizers
  kubectl delete policyserver default --ignore-not-found || true
  remove_users_objects || true
  # Definitions that were there before stay.
  # shellcheck disable=SC2046 # names
  [[ -n $definitions_before ]] || kubectl delete --ignore-not-found --timeout="${limit}s" $(definitions) || true
}

# While no controller runs, finalizers stay until this script removes them.
remove_finalizers() {
  local kind namespace name
  while read -r kind namespace name; do
    kubectl patch "$kind" "$name" --namespace "$namespace" --type=merge -p '{"metadata": {"finalizers": null}}' || true
  done < <(
    echo policyserver default default
    kubectl get clusteradmissionpolicies,clusteradmissionpolicygroups,policyservers -l "$label" \
      -o 'jsonpath={range .items[*]}{.kind} default {.metadata.name}{"\n"}{end}'
    kubectl get admissionpolicies,admissionpolicygroups --all-namespaces -l "$label" \
      -o 'jsonpath={range .items[*]}{.kind} {.metadata.namespace} {.metadata.name}{"\n"}{end}'
  )
}

# Leaves the cluster as it was before.
remove_everything() {
  remove_users_objects || true
  [[ -n $skip_install ]] || { [[ -z $started ]] && ! is_ours "$namespace"; } || remove_installation
  kubectl delete namespaces -l "$label" --ignore-not-found --timeout="${limit}s" || true
}

# An earlier installation may have left policies: ours would enforce them, and remove the PolicyServer "default".
check_no_policies() {
  local found
  [[ -z $skip_install && -n $(definitions) ]] || return 0
  found=$(kubectl get "$kinds,policyservers" --all-namespaces -o name)
  [[ -z $found ]] || give_up "this cluster has policies or policy servers of an earlier installation; remove them first:"$'\n'"$found"
}

clean_up() {
  local status=$? left
  trap '' INT TERM
  trap - EXIT
  [[ -z $running ]] || kill -TERM -- "-$running" 2>/dev/null || true
  if [[ -n $keep ]]; then
    printf 'Kept: the installation in namespace %s, and what situations made (label %s).\n' "$namespace" "$label"
  else
    remove_everything >"$work/removal" 2>&1
    left=$(kubectl get namespaces -l "$label" -o name 2>/dev/null || echo 'the cluster does not answer')
    if [[ -n $left ]]; then
      echo 'not ok: this could not be removed:'
      { echo "$left" && cat "$work/removal"; } | sed 's/^/  /'
      ((status != 0)) || status=1
    fi
  fi
  rm -rf "$work"
  exit "$status"
}

run_situations() {
  local file name passed=0
  for file in $(files); do
    name=$(name_of "$file")
    is_wanted "$name" || continue
    if [[ -n $skip_install ]] && [[ $name == install || $removing == *" $name "* ]]; then
      printf 'skip           %s\n' "$name"
    elif run_situation "$file"; then
      passed=$((passed + 1))
    elif [[ $name == install ]]; then
      echo 'Without an installation there is nothing to test.'
      break
    fi
  done
  printf '%d ok, %d not ok, %d s\n' "$passed" "$failures" "$SECONDS"
}

read_arguments "$@"
if [[ -n $list ]]; then
  list_situations
  exit
fi
check_arguments
SECONDS=0
check_cluster
choose_namespace
chart_flags
definitions_before=$(definitions)
started=''
if [[ -n $(kubectl get namespaces -l "$label" -o name) ]]; then
  say 'removing what an earlier run left'
  remove_everything >&2
fi
check_no_policies
work=$(mktemp -d) started=yes
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export_settings
run_situations
((failures == 0))
