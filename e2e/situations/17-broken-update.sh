# An update with a misspelt setting fails with its cause, and the last good version stays enforced.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy 'message: "good version"'
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged

privileged_pods_policy 'message: "broken version"' 'settings: {skip_init_container: true}'
wait_for 'jsonpath={.status.phase}=Failed' "clusteradmissionpolicy/$name"
expect 'the enforced generation' "$(policy_field .status.activeGeneration)" 1
policy_field '.status.conditions[?(@.type=="Accepted")].message' >"$E2E_WORK/cause"
contains "$E2E_WORK/cause" skip_init_container
is_denied_with 'good version' "$shop" privileged || fail "not refused by the good version: $(<"$E2E_WORK/answer")"

privileged_pods_policy 'message: "repaired version"' 'settings: {skip_init_containers: true}'
await_enforced clusteradmissionpolicy "$name"
await 'the repaired version' is_denied_with 'repaired version' "$shop" privileged
