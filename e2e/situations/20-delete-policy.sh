# A deleted policy takes its webhook along, and judges nothing any more; a script that fails on warnings can delete it.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
has_webhook() { grep -q "$name" <<<"$(policy_webhooks)"; }
has_webhook || fail "no webhook of $name: $(policy_webhooks)"

kubectl delete clusteradmissionpolicy "$name" --warnings-as-errors --timeout="${E2E_LIMIT}s"
! has_webhook || fail "the webhook of $name is left: $(policy_webhooks)"
admitted "$shop" privileged
