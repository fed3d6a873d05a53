package io.portcullis.core.precedence;

import io.portcullis.api.policy.PolicyRef;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The requests that a policy loses to other policies by precedence. */
public sealed interface Loss {

    /** The policies that replace it, sorted. */
    List<PolicyRef> by();

    /** Returns whether the policy has no webhook, but stays loaded. */
    default boolean isTotal() {
        return switch (this) {
            case Everything _, Conflict _ -> true;
            case Nothing _, Namespaces _, Rules _ -> false;
        };
    }

    /** The policy loses no requests. */
    record Nothing() implements Loss {

        @Override
        public List<PolicyRef> by() {
            return List.of();
        }
    }

    /** The policy loses all requests. It has no webhook but stays loaded, so that it can be enforced again at once. */
    record Everything(List<PolicyRef> by) implements Loss {

        public Everything {
            by = sorted(by);
        }
    }

    /**
     * The policy loses all requests, because older policies claim and enforce the same scope with the same strategy. Like
     * {@link Everything}, it has no webhook but stays loaded.
     */
    record Conflict(List<PolicyRef> by) implements Loss {

        public Conflict {
            by = sorted(by);
        }
    }

    /**
     * The policy loses these namespaces. It keeps its webhook for all other namespaces, including future ones.
     *
     * @param isAll whether the policy currently receives no other requests
     */
    record Namespaces(List<PolicyRef> by, SortedSet<String> names, boolean isAll) implements Loss {

        public Namespaces {
            by = sorted(by);
            names = new TreeSet<>(names);
        }
    }

    /** The policy loses the part of its rules that the scopes {@code takers} cover. */
    record Rules(List<PolicyRef> by, List<PrecedenceScope> takers) implements Loss {

        public Rules {
            by = sorted(by);
            takers = List.copyOf(takers);
        }
    }

    private static List<PolicyRef> sorted(Collection<PolicyRef> policies) {
        return policies.stream().distinct().sorted().toList();
    }
}
