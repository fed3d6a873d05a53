# An operator scales a PolicyServer to zero: kubectl warns, nothing is blocked; scaled back, the policy is enforced again.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
create_server "$name"
privileged_pods_policy "policyServer: $name"
await_server "$name"
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged

kubectl scale policyserver "$name" --replicas=0 2>"$E2E_WORK/warning"
contains "$E2E_WORK/warning" 'stop being enforced'
contains "$E2E_WORK/warning" "$name"
admitted "$shop" privileged
wait_for condition=Enforced=false "clusteradmissionpolicy/$name"

kubectl scale policyserver "$name" --replicas=1
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
