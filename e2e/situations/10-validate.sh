# A validating policy refuses a privileged pod with its message, and admits an ordinary one.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
admitted "$shop" privileged
privileged_pods_policy 'message: "no privileged pods, please"'
await_enforced clusteradmissionpolicy "$name"

denied "$shop" privileged
contains "$E2E_WORK/answer" 'no privileged pods, please'
admitted "$shop"
expect 'the status' "$(policy_field .status.policyStatus)" active
