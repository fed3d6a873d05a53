package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.kwctl.cli.CommandException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The name of a policy as the user gives it. Kind and namespace are optional; the existing policies complete them. */
record PolicyName(PolicyScope scope, String name) {

    /**
     * @param text {@code NAME}, {@code NAMESPACE/NAME}, {@code KIND/NAME} or {@code KIND/NAMESPACE/NAME}
     * @param options the values of {@code --kind} and {@code --namespace}
     */
    static PolicyName parse(String text, PolicyScope options) {
        var parts = List.of(text.split("/", -1));
        if (parts.size() > 3 || parts.stream().anyMatch(String::isBlank)) {
            throw new CommandException("\"" + text
                    + "\" does not name a policy; write NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME");
        }
        var name = parts.getLast();
        var kind = parts.size() > 1 ? kind(parts.getFirst()) : Optional.<PolicyKind>empty();
        if (parts.size() == 3 && kind.isEmpty()) {
            throw new CommandException("\"" + parts.getFirst() + "\" is not a kind of policy; there are "
                    + String.join(
                            ", ",
                            Arrays.stream(PolicyKind.values())
                                    .map(known -> known.wireName() + " (" + known.shortName() + ")")
                                    .toList()));
        }
        var namespace = switch (parts.size()) {
            case 3 -> Optional.of(parts.get(1));
            case 2 -> kind.isEmpty() ? Optional.of(parts.getFirst()) : Optional.<String>empty();
            default -> Optional.<String>empty();
        };
        return new PolicyName(options.narrowedTo(kind, namespace), name);
    }

    /** Finds a kind by its name, plural or short name. Ignores case and the API group that {@code kubectl -o name} adds. */
    static Optional<PolicyKind> kind(String word) {
        var lower = word.toLowerCase(Locale.ROOT);
        var suffix = "." + PolicyKind.GROUP;
        var bare = lower.endsWith(suffix) ? lower.substring(0, lower.length() - suffix.length()) : lower;
        return Arrays.stream(PolicyKind.values())
                .filter(kind -> bare.equals(kind.wireName().toLowerCase(Locale.ROOT))
                        || bare.equals(kind.plural())
                        || bare.equals(kind.shortName()))
                .findFirst();
    }

    /** Returns a name that is unambiguous in any cluster, which users can paste into the next command. */
    static String unambiguous(PolicyRef ref) {
        return ref.kind().shortName() + "/" + (ref.namespace().isEmpty() ? "" : ref.namespace() + "/") + ref.name();
    }
}
