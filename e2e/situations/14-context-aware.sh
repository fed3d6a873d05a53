# A context-aware policy reads the namespace of a pod from the cluster, and follows its changes.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
cluster_policy "module: $(module go-namespace-labels)" 'settings: {requiredNamespaceLabel: team}' \
  'contextAwareResources: [{apiVersion: v1, kind: Namespace}]' | apply
await_enforced clusteradmissionpolicy "$name"

denied "$shop"
contains "$E2E_WORK/answer" "namespace $shop has no label team"
kubectl label namespace "$shop" team=payments
admitted "$shop"
kubectl label namespace "$shop" team-
denied "$shop"
