# A tenant's AdmissionPolicy judges the tenant's namespace, and no other.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

readonly neighbour=$shop-neighbour
create_namespace "$shop"
create_namespace "$neighbour"
{
  printf 'apiVersion: policies.kubewarden.io/v1\nkind: AdmissionPolicy\n'
  printf 'metadata: {name: %s, namespace: %s, labels: {%s: "%s"}}\n' "$name" "$shop" "$e2e_label" "$E2E_SITUATION"
  spec 'policyServer: default' "module: $(module privileged-pods)" 'mutating: false' 'settings: {}' 'timeoutSeconds: 30' "$pod_rules"
} | apply
await_enforced admissionpolicy "$name" -n "$shop"

denied "$shop" privileged
is_admitted "$neighbour" privileged || fail "the policy of $shop judges $neighbour: $(<"$E2E_WORK/answer")"
