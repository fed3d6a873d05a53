# A policy group joins policies by an expression: pods are unprivileged, or their namespace has an owner.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
{
  metadata ClusterAdmissionPolicyGroup
  spec 'policyServer: default' 'message: "neither unprivileged nor owned"' 'expression: "unprivileged() || owned()"' 'timeoutSeconds: 30' \
    "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: $shop}}" "$pod_rules" \
    "policies: {unprivileged: {module: '$(module privileged-pods)', settings: {}},
      owned: {module: '$(module go-namespace-labels)', settings: {requiredNamespaceLabel: owner},
        contextAwareResources: [{apiVersion: v1, kind: Namespace}]}}"
} | apply
await_enforced clusteradmissionpolicygroup "$name"

denied "$shop" privileged
contains "$E2E_WORK/answer" 'neither unprivileged nor owned'
admitted "$shop"
kubectl label namespace "$shop" owner=anna
admitted "$shop" privileged
