package io.portcullis.api.precedence;

import io.portcullis.api.policy.PolicyRef;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** What precedence takes from a policy. */
public sealed interface Loss {

    /** Who judges in its stead, sorted. */
    List<PolicyRef> by();

    /** Nothing. */
    record Nothing() implements Loss {

        @Override
        public List<PolicyRef> by() {
            return List.of();
        }
    }

    /** All of it: it has no webhook, but stays loaded, so that it can be back at once. */
    record Everything(List<PolicyRef> by) implements Loss {

        public Everything {
            by = sorted(by);
        }
    }

    /**
     * These namespaces; it keeps its webhook for all others and for those to come.
     *
     * @param isAll there is nothing else now that it could see
     */
    record Namespaces(List<PolicyRef> by, SortedSet<String> names, boolean isAll) implements Loss {

        public Namespaces {
            by = sorted(by);
            names = new TreeSet<>(names);
        }
    }

    /** What these see of its rules. */
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
