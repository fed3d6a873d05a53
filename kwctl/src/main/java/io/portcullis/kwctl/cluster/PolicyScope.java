package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.PolicyKind;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.process.args.ParsedArguments;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The policies to select: of one kind, of one namespace, or all. */
record PolicyScope(Optional<PolicyKind> kind, Optional<String> namespace) {

    static final PolicyScope ALL = new PolicyScope(Optional.empty(), Optional.empty());

    PolicyScope {
        if (namespace.isPresent() && kind.filter(known -> !known.isNamespaced()).isPresent()) {
            throw new CommandException("policies of kind " + kind.get().wireName() + " have no namespace, but \""
                    + namespace.get() + "\" was given");
        }
    }

    static PolicyScope of(ParsedArguments arguments) {
        return new PolicyScope(
                arguments.value(ClusterOptions.KIND).flatMap(PolicyName::kind),
                arguments.value(ClusterOptions.NAMESPACE));
    }

    PolicyScope narrowedTo(Optional<PolicyKind> otherKind, Optional<String> otherNamespace) {
        return new PolicyScope(
                one(kind, otherKind.map(known -> known), "kind"), one(namespace, otherNamespace, "namespace"));
    }

    private static <T> Optional<T> one(Optional<T> option, Optional<T> name, String what) {
        if (option.isPresent() && name.isPresent() && !option.equals(name)) {
            throw new CommandException("the policy's name and the option --" + what + " contradict each other");
        }
        return name.or(() -> option);
    }

    /** Returns the selected kinds. A namespace excludes the cluster-wide kinds. */
    List<PolicyKind> kinds() {
        return kind.map(List::of)
                .orElseGet(() -> Arrays.stream(PolicyKind.values())
                        .filter(known -> namespace.isEmpty() || known.isNamespaced())
                        .toList());
    }

    /** Renders the scope for messages, for example {@code in namespace team-a}; empty for all policies. */
    String display() {
        return kind.map(known -> " of kind " + known.wireName()).orElse("")
                + namespace.map(name -> " in namespace " + name).orElse("");
    }
}
