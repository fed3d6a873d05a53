# The audit scanner reports the privileged pod that was there before the policy.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
pod bad privileged | kubectl -n "$shop" create -f -
pod good | kubectl -n "$shop" create -f -
privileged_pods_policy
await_enforced clusteradmissionpolicy "$name"

kubectl -n "$E2E_NAMESPACE" get cronjob audit-scanner >/dev/null || fail 'the installation has no audit scanner'
kubectl -n "$E2E_NAMESPACE" create job "$name" --from=cronjob/audit-scanner
has_ended() { [[ $(kubectl -n "$E2E_NAMESPACE" get job "$name" -o 'jsonpath={.status.succeeded}{.status.failed}') == 1 ]]; }
await 'the end of the audit' has_ended
kubectl -n "$E2E_NAMESPACE" delete job "$name" --wait=false

# The kind of reports is a value of the chart.
reports=policyreports.wgpolicyk8s.io
[[ -n $(kubectl -n "$shop" get "$reports" -o name 2>/dev/null || true) ]] || reports=reports.openreports.io
# result POD: what the report on the pod says of our policy; others may judge pods of this cluster, too
result() {
  kubectl -n "$shop" get "$reports" \
    -o "jsonpath={range .items[?(@.scope.name==\"$1\")].results[*]}{.policy}={.result}{\"\\n\"}{end}" | sed -n "s/.*$name=//p"
}
kubectl -n "$shop" get "$reports" -o yaml
expect 'the result of the privileged pod' "$(result bad)" fail
expect 'the result of the ordinary pod' "$(result good)" pass
