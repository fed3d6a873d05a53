# A policy in monitor mode admits what it would refuse, and the policy server logs the verdict.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy 'mode: monitor'
await_enforced clusteradmissionpolicy "$name"
expect 'the mode' "$(policy_field .status.mode)" monitor

# has_recorded: asks for a privileged pod, which must be admitted, and looks for a verdict in the log of the policy server
has_recorded() {
  is_admitted "$shop" privileged || fail "monitor mode refused: $(<"$E2E_WORK/answer")"
  kubectl -n "$E2E_NAMESPACE" logs -l app.kubernetes.io/instance=policy-server-default --tail=500 >"$E2E_WORK/log"
  [[ -n $(grep -F 'monitor mode' "$E2E_WORK/log" | grep -F "$name" | grep -E 'allowed"?[=:] ?"?false') ]]
}
await 'a refusal in the log' has_recorded
