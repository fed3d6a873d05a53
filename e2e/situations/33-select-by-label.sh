# Scripts and dashboards for Kubewarden find controller and policy servers by the labels and ports that they know.
# shellcheck shell=bash disable=SC2154  # lib.sh sets the variables

selectors=(
  app.kubernetes.io/component=controller
  app.kubernetes.io/component=policy-server
  app.kubernetes.io/instance=policy-server-default
  kubewarden/policy-server=default
  app=kubewarden-policy-server-default
)
for selector in "${selectors[@]}"; do
  [[ -n $(kubectl -n "$E2E_NAMESPACE" get pods -l "$selector" -o name) ]] || fail "no pod has the label $selector"
done

port=$(kubectl -n "$E2E_NAMESPACE" get pods -l app.kubernetes.io/component=controller \
  -o 'jsonpath={.items[0].spec.containers[0].ports[?(@.name=="webhook-server")].containerPort}')
expect 'the target port of the controller' "$(kubectl -n "$E2E_NAMESPACE" get service kubewarden-controller-webhook-service \
  -o 'jsonpath={.spec.ports[0].targetPort}')" "$port"
expect 'the port of the policy server' "$(kubectl -n "$E2E_NAMESPACE" get service policy-server-default \
  -o 'jsonpath={.spec.ports[?(@.name=="policy-server")].port}')" 443
