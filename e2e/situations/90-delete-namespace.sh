# An operator deletes the namespace of Portcullis: requests flow again, and a new installation brings the policies back.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged

kubectl delete namespace "$E2E_NAMESPACE" --wait=false
admitted "$shop" privileged
await_gone "namespace/$E2E_NAMESPACE"
[[ -z $(policy_webhooks) ]] || fail "webhooks are left: $(policy_webhooks)"
is_admitted "$shop" privileged || fail "a request is blocked: $(<"$E2E_WORK/answer")"
kubectl get clusteradmissionpolicy "$name" >/dev/null || fail 'the policy is gone'

create_installation_namespace
install_charts
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
