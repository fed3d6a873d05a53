# Changed settings of a policy take effect without a restart: the generation moves, and pods keep their UID.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_namespace "$shop"
privileged_pods_policy 'message: "first version"'
await_enforced clusteradmissionpolicy "$name"
denied "$shop" privileged
contains "$E2E_WORK/answer" 'first version'
pods=$(server_pods default)
[[ -n $pods ]] || fail 'no pods of PolicyServer default'

privileged_pods_policy 'message: "second version"' 'settings: {skip_init_containers: true}'
await_enforced clusteradmissionpolicy "$name"
await 'the second version' is_denied_with 'second version' "$shop" privileged
expect 'the enforced generation' "$(policy_field .status.activeGeneration)" 2
expect 'UIDs and restarts of pods' "$(server_pods default)" "$pods"
