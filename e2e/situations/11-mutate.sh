# A mutating policy changes pods before they are stored.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
cluster_policy "module: $(module run-as-user)" 'mutating: true' 'settings: {runAsUser: 4711}' | apply
await_enforced clusteradmissionpolicy "$name"

has_user() { grep -qE '"runAsUser": ?4711' <<<"$(request "$shop")"; }
await 'the user in a pod' has_user
