package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.core.overlap.ResourcePattern;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.matching.RuleMatcher;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The requests that the user asks about. Matches them against rules in the same way as the API server.
 *
 * @param group empty for any API group
 */
record RequestFilter(Optional<ResourcePattern> resource, Optional<String> group, Optional<String> operation) {

    static final RequestFilter EVERYTHING = new RequestFilter(Optional.empty(), Optional.empty(), Optional.empty());

    private static final Pattern FORM = Pattern.compile("([a-z0-9-]+)(?:\\.([a-z0-9.-]+))?(?:/([a-z0-9-]+))?");

    /** @param text {@code RESOURCE[.GROUP][/SUBRESOURCE]}, the syntax of {@code kubectl auth can-i} */
    static RequestFilter of(Optional<String> text, Optional<String> operation) {
        if (text.isEmpty()) {
            return new RequestFilter(Optional.empty(), Optional.empty(), operation);
        }
        var parts = FORM.matcher(text.get());
        if (!parts.matches()) {
            throw new CommandException("\"" + text.get()
                    + "\" is not a resource; write its plural, for example pods, pods/exec or deployments.apps");
        }
        var sub = Optional.ofNullable(parts.group(3)).orElse("");
        return new RequestFilter(
                Optional.of(new ResourcePattern(parts.group(1), sub)), Optional.ofNullable(parts.group(2)), operation);
    }

    /** Returns whether a rule matches some of these requests. Rules for cluster-scoped objects do not match. */
    boolean matches(RuleWithOperations rule) {
        var matcher = new RuleMatcher(rule);
        return matcher.matchesScope(true)
                && operation.map(matcher::matchesOperation).orElse(true)
                && group.map(matcher::matchesGroup).orElse(true)
                && resource.map(matcher::matchesResource).orElse(true);
    }
}
