package io.portcullis.api.webhook;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchConditionBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests that no policy judges, because without them a policy server that is down could not come back. The API server
 * itself leaves them out by a match condition of every webhook, so that it holds while nothing of ours runs:
 *
 * <ul>
 *   <li>in the platform's namespace: requests of the platform, of the control plane and of kubelets, and requests for
 *       objects that carry the platform's label;
 *   <li>that namespace itself;
 *   <li>policy servers and revisions, the deletion of a policy, and what the controller writes to policies;
 *   <li>what the control plane needs to run at all: leases, nodes and volumes of its own, access reviews.
 * </ul>
 */
final class PlatformExemption {

    static final String NAME = "exempt.kubewarden.io";

    /** The API server accepts no more for one webhook. */
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

    /** True for every request that a policy may judge. Never fails: an error would reject the request. */
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

    /** The conditions of a policy, and ours. */
    static List<MatchCondition> added(List<MatchCondition> conditions, String namespace) {
        var all = new ArrayList<>(conditions);
        var ours = expression(namespace);
        if (all.size() < MAX_CONDITIONS) {
            all.add(new MatchConditionBuilder()
                    .withName(NAME)
                    .withExpression(ours)
                    .build());
        } else {
            var last = all.removeLast();
            all.add(new MatchConditionBuilder(last)
                    .withExpression(ours + " && (" + last.getExpression() + ")")
                    .build());
        }
        return all;
    }
}
