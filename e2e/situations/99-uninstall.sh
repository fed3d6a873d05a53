# An operator uninstalls the charts: no webhook is left, requests flow, and the policy says that nothing enforces it.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged

uninstall_charts
[[ -z $(policy_webhooks) ]] || fail "webhooks are left: $(policy_webhooks)"
is_admitted "$shop" privileged || fail "a request is blocked: $(<"$E2E_WORK/answer")"
expect 'the condition Enforced' "$(policy_field '.status.conditions[?(@.type=="Enforced")].status')" False
