# An operator changes a PolicyServer with one replica while requests flow; the pod is replaced, and no request is lost.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
create_server "$name"
await_server "$name"
privileged_pods_policy "policyServer: $name"
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
readonly replica=pod/policy-server-$name-0
uid() { kubectl -n "$E2E_NAMESPACE" get "$replica" -o 'jsonpath={.metadata.uid}'; }
before=$(uid)

start_requests "$shop"
kubectl patch policyserver "$name" --type=merge -p '{"spec": {"env": [{"name": "E2E", "value": "changed"}]}}'
is_replaced() { [[ $(uid) != "$before" ]]; }
await 'another pod' is_replaced
await_server "$name"
await 'the end of the rollout' has_one_replica "$name"
finish_requests

expect 'the variable' "$(kubectl -n "$E2E_NAMESPACE" get "$replica" -o 'jsonpath={.spec.containers[0].env[?(@.name=="E2E")].value}')" changed
