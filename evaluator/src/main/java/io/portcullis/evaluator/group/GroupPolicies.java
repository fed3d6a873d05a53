package io.portcullis.evaluator.group;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.group.expression.InvalidExpressionException;
import io.portcullis.evaluator.review.ResponseRules;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates group policies. Checks their expressions at load time, so that no request can hit an invalid expression. */
public final class GroupPolicies {

    private static final Logger log = LoggerFactory.getLogger(GroupPolicies.class);

    private final Optional<Duration> timeout;
    private final boolean memberWarnings;

    /**
     * @param timeout the limit of one policy, empty for no limit; a whole group gets the same limit
     * @param memberWarnings whether a rejection has a warning for the result of each evaluated member
     */
    public GroupPolicies(Optional<Duration> timeout, boolean memberWarnings) {
        this.timeout = timeout;
        this.memberWarnings = memberWarnings;
    }

    /**
     * Creates a group from members that are already loaded.
     *
     * @param members in the order of the definition; the group owns and closes them, unless this method throws
     * @throws PolicyLoadException with {@link PolicyLoadException.Reason#INVALID_EXPRESSION}
     */
    public LoadedPolicy assemble(String groupId, PolicyEntry.Group group, Map<String, PolicyEvaluator> members) {
        var expression = parse(groupId, group, members);
        var unused = new LinkedHashSet<>(members.keySet());
        unused.removeAll(expression.usedMembers());
        if (!unused.isEmpty()) {
            log.atWarn()
                    .addKeyValue("policy_id", groupId)
                    .addKeyValue("members", unused)
                    .log("members of the group are not used by its expression");
        }
        var responseRules = new ResponseRules(groupId, group.mode(), false, Optional.empty());
        // A group in monitor mode rejects nothing, so its users get no warnings about results.
        var warns = memberWarnings && group.mode() == PolicyMode.PROTECT;
        return new GroupPolicy(groupId, expression, group.message(), members, budget(group), warns, responseRules);
    }

    private static GroupExpression parse(
            String groupId, PolicyEntry.Group group, Map<String, PolicyEvaluator> members) {
        try {
            return GroupExpression.parse(group.expression(), members.keySet());
        } catch (InvalidExpressionException e) {
            throw new PolicyLoadException(
                    Reason.INVALID_EXPRESSION,
                    "the expression of group " + groupId + " is not valid: " + e.getMessage(),
                    e);
        }
    }

    /** Returns the common limit, or the longest limit of a member if that is longer. */
    private Optional<Duration> budget(PolicyEntry.Group group) {
        return timeout.map(common -> group.members().values().stream()
                .flatMap(member -> member.timeout().stream())
                .reduce(common, (a, b) -> a.compareTo(b) >= 0 ? a : b));
    }
}
