# An operator adds a PolicyServer and moves a policy to it; the policy refuses at every moment of the move.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
create_server "$name"
await_server "$name"

start_requests "$shop"
kubectl patch clusteradmissionpolicy "$name" --type=merge -p "{\"spec\": {\"policyServer\": \"$name\"}}"
wait_for "jsonpath={.status.activePolicyServer}=$name" "clusteradmissionpolicy/$name"
await_enforced clusteradmissionpolicy "$name"
finish_requests
