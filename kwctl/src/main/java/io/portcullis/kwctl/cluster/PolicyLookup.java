package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.process.args.SimilarWords;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the policy that a name identifies. */
final class PolicyLookup {

    private static final int MAX_SHOWN = 10;

    private PolicyLookup() {}

    /** @param policies the existing policies in the scope of the name */
    static Policy find(PolicyName wanted, List<Policy> policies) {
        var candidates = policies.stream()
                .filter(policy -> policy.ref().name().equals(wanted.name()))
                .toList();
        return switch (candidates.size()) {
            case 1 -> candidates.getFirst();
            case 0 -> throw unknown(wanted, policies);
            default -> throw ambiguous(wanted, candidates);
        };
    }

    private static CommandException unknown(PolicyName wanted, List<Policy> policies) {
        var refs = policies.stream().map(Policy::ref).sorted().toList();
        var tip = SimilarWords.to(
                        wanted.name(), refs.stream().map(PolicyRef::name).collect(Collectors.toSet()))
                .flatMap(similar ->
                        refs.stream().filter(ref -> ref.name().equals(similar)).findFirst())
                .map(ref -> "; did you mean " + PolicyName.unambiguous(ref) + "?")
                .orElse(refs.isEmpty() ? "; there are none at all" : "");
        return new CommandException(
                "there is no policy \"" + wanted.name() + "\"" + wanted.scope().display() + tip);
    }

    private static CommandException ambiguous(PolicyName wanted, List<Policy> candidates) {
        var shown = candidates.stream()
                .map(Policy::ref)
                .sorted()
                .limit(MAX_SHOWN)
                .map(PolicyName::unambiguous)
                .collect(Collectors.joining(", "));
        var more = candidates.size() > MAX_SHOWN ? " and " + (candidates.size() - MAX_SHOWN) + " more" : "";
        return new CommandException("\"" + wanted.name() + "\" may mean several policies: " + shown + more);
    }
}
