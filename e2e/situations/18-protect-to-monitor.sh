# Admission rejects the change of an enforced policy to monitor mode, and the message shows how to do it without a gap.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"

if kubectl patch clusteradmissionpolicy "$name" --type=merge -p '{"spec": {"mode": "monitor"}}' 2>"$E2E_WORK/refusal"; then
  fail 'the policy was changed to monitor mode'
fi
contains "$E2E_WORK/refusal" 'field cannot transition from protect to monitor. Recreate instead.'
contains "$E2E_WORK/refusal" "kubectl delete clusteradmissionpolicies $name"
denied "$shop" privileged
