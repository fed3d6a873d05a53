# An operator installs the three charts, and a PolicyServer becomes ready in a namespace with Pod Security "restricted".
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

create_installation_namespace
install_charts
wait_for condition=Available policyserver/default
wait_for condition=Available -n "$E2E_NAMESPACE" deployment/kubewarden-controller
