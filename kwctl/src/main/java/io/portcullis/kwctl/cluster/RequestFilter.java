package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.kwctl.cli.CommandException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Requests in a namespace that somebody asks about, matched against rules as the API server does it.
 *
 * @param group empty: of any API group
 */
record RequestFilter(Optional<Resource> resource, Optional<String> group, Optional<String> operation) {

    static final RequestFilter EVERYTHING = new RequestFilter(Optional.empty(), Optional.empty(), Optional.empty());

    private static final String ANY = "*";
    private static final Pattern FORM = Pattern.compile("([a-z0-9-]+)(?:\\.([a-z0-9.-]+))?(?:/([a-z0-9-]+))?");

    /** {@code pods} or {@code pods/exec}. */
    record Resource(String main, String sub) {}

    /** @param text {@code RESOURCE[.GROUP][/SUBRESOURCE]}, as {@code kubectl auth can-i} takes it */
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
                Optional.of(new Resource(parts.group(1), sub)), Optional.ofNullable(parts.group(2)), operation);
    }

    /** Whether a rule lets some of these requests through to the policy. Rules for cluster-scoped objects do not. */
    boolean meets(RuleWithOperations rule) {
        return !"Cluster".equals(rule.getScope())
                && operation.map(wanted -> lists(rule.getOperations(), wanted)).orElse(true)
                && group.map(wanted -> lists(rule.getApiGroups(), wanted)).orElse(true)
                && resource.map(wanted -> rule.getResources().stream().anyMatch(pattern -> matches(pattern, wanted)))
                        .orElse(true);
    }

    private static boolean lists(List<String> words, String wanted) {
        return words.contains(ANY) || words.contains(wanted);
    }

    /** {@code pods/*} matches {@code pods} itself too: the API server compares the two halves one by one. */
    private static boolean matches(String pattern, Resource wanted) {
        var slash = pattern.indexOf('/');
        var main = slash < 0 ? pattern : pattern.substring(0, slash);
        var sub = slash < 0 ? "" : pattern.substring(slash + 1);
        return (main.equals(ANY) || main.equals(wanted.main())) && (sub.equals(ANY) || sub.equals(wanted.sub()));
    }
}
