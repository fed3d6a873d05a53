package io.portcullis.core.webhook;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchConditionBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import java.util.ArrayList;
import java.util.List;

/**
 * The match condition that exempts requests from all policies. Without these requests a failed policy server could not
 * recover. The API server evaluates the condition itself, so that it also works while no Portcullis pod runs. Exempt are:
 *
 * <ul>
 *   <li>in the platform's namespace: requests of the platform, of the control plane and of kubelets, and requests for
 *       objects with the platform's label;
 *   <li>the namespace object itself;
 *   <li>policy servers and revisions, the deletion of a policy, and writes of the controller to policies;
 *   <li>requests that the control plane needs to run: its leases, nodes and volumes, and access reviews.
 * </ul>
 */
final class PlatformExemption {

    static final String NAME = "exempt.kubewarden.io";

    /** Maximum number of match conditions that the API server accepts per webhook. */
    private static final int MAX_CONDITIONS = 64;

    private static final String EXPRESSION = """
            !(
              (has(request.namespace) && request.namespace == '$NAMESPACE' && (
                request.userInfo.username.startsWith('system:serviceaccount:$NAMESPACE:')
                || $CONTROL_PLANE
                || [object, oldObject].exists(o, o != null && has(o.metadata) && has(o.metadata.labels)
                  && '$LABEL' in o.metadata.labels && o.metadata.labels['$LABEL'] == '$VALUE')))
              || (request.resource.group == '' && request.resource.resource == 'namespaces'
                && has(request.name) && request.name == '$NAMESPACE')
              || (request.resource.group == '$GROUP' && (
                request.operation == 'DELETE' || request.resource.resource in ['policyservers', 'policyrevisions']
                || request.userInfo.username.startsWith('system:serviceaccount:$NAMESPACE:')))
              || request.resource.group in ['authentication.k8s.io', 'authorization.k8s.io']
              || (request.resource.resource in ['leases', 'nodes', 'persistentvolumes', 'volumeattachments', 'csinodes']
                && $CONTROL_PLANE)
            )
            """;

    private static final String CONTROL_PLANE = "(request.userInfo.username.startsWith('system:node:')"
            + " || request.userInfo.username.startsWith('system:serviceaccount:kube-system:')"
            + " || request.userInfo.username in"
            + " ['system:kube-controller-manager', 'system:kube-scheduler', 'system:apiserver'])";

    private PlatformExemption() {}

    /**
     * Returns the CEL expression, which is true for every request that a policy may evaluate. Its evaluation never fails,
     * because an error would reject the request.
     */
    static String expression(String namespace) {
        return EXPRESSION
                .replace("$CONTROL_PLANE", CONTROL_PLANE)
                .replace("$NAMESPACE", namespace)
                .replace("$LABEL", PolicyNames.PART_OF)
                .replace("$VALUE", PolicyNames.PART_OF_VALUE)
                .replace("$GROUP", PolicyKind.GROUP)
                .replaceAll("\\s+", " ")
                .strip();
    }

    /** Returns the conditions of a policy with the exemption added. */
    static List<MatchCondition> added(List<MatchCondition> conditions, String namespace) {
        var all = new ArrayList<>(conditions);
        var exemption = expression(namespace);
        if (all.size() < MAX_CONDITIONS) {
            all.add(new MatchConditionBuilder()
                    .withName(NAME)
                    .withExpression(exemption)
                    .build());
        } else {
            var last = all.removeLast();
            all.add(new MatchConditionBuilder(last)
                    .withExpression(exemption + " && (" + last.getExpression() + ")")
                    .build());
        }
        return all;
    }
}
