package io.portcullis.api.status;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Policy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Everything that is observed about one policy, and nothing that is remembered. Not tied to admission policies: any kind
 * that has a target, content that can be invalid, replicas that serve it and a registration could fill it.
 *
 * @param wanted how far the policy's latest generation has come
 * @param endpoints replicas that the registration leads to and that are ready, with what each says it serves
 */
public record Facts(
        Subject subject,
        Target target,
        RolloutProgress wanted,
        Registration registration,
        List<Endpoint> endpoints,
        Precedence precedence) {

    public Facts {
        endpoints = List.copyOf(endpoints);
    }

    /**
     * The policy itself.
     *
     * @param foreignAncestors entries that other controllers wrote
     */
    public record Subject(String kind, long generation, List<AncestorStatus> foreignAncestors) {

        public Subject {
            foreignAncestors = List.copyOf(foreignAncestors);
        }

        public static Subject of(Policy policy) {
            var ancestors = policy.getStatus() == null
                    ? List.<AncestorStatus>of()
                    : policy.getStatus().ancestors();
            return new Subject(
                    policy.getKind(),
                    Objects.requireNonNullElse(policy.getMetadata().getGeneration(), 0L),
                    ancestors.stream().filter(ancestor -> !ancestor.isOurs()).toList());
        }
    }

    /** The policy server that the policy names. */
    public sealed interface Target {

        /** The policy names none. */
        record Unnamed() implements Target {}

        /** There is none of that name. */
        record Missing(String name) implements Target {}

        /** It is on its way out. */
        record Deleting(String name) implements Target {}

        /** Its replicas are gone: Portcullis was uninstalled. */
        record Uninstalled(String name) implements Target {}

        /**
         * It exists.
         *
         * @param replicas how many there should be
         * @param settled all of them run the latest rollout and are ready
         */
        record Present(String name, int replicas, boolean settled) implements Target {}
    }

    /** The webhook configuration as it stands in the API server. */
    public sealed interface Registration {

        /** Why the API server refused what we wanted to register, if it did. */
        Optional<String> refusal();

        /** There is none, or it belongs to a policy of the same name that is gone. */
        record Absent(Optional<String> refusal) implements Registration {}

        /**
         * There is one.
         *
         * @param progress of the revision that it points at
         * @param policyServer the server that it points at
         * @param mode of that revision
         */
        record Registered(
                RolloutProgress progress,
                String policyServer,
                PolicyMode mode,
                Fidelity fidelity,
                Optional<String> refusal)
                implements Registration {}
    }

    /** How the live webhook compares with the one rendered from its revision. */
    public sealed interface Fidelity {

        record Exact() implements Fidelity {}

        /** Requests arrive, but other ones or under other conditions than they should. */
        record Drifted(String what) implements Fidelity {}

        /** Kind, path, service or certificate authority differ: no request is known to arrive. */
        record Astray(String what) implements Fidelity {}
    }

    /** A ready replica behind the webhook. */
    public record Endpoint(String name, Probe probe) {}

    /** What a replica said when it was asked, over TLS checked with the live webhook's own certificate authority. */
    public sealed interface Probe {

        /** Not asked yet. */
        record Unasked() implements Probe {}

        /** It could not be asked. */
        record Failed(String cause) implements Probe {}

        /**
         * It answered.
         *
         * @param generations those it serves exactly as their revisions say: digest, settings, mode, right to mutate
         * @param age how long ago
         */
        record Answered(Set<Long> generations, Duration age) implements Probe {

            public Answered {
                generations = Set.copyOf(generations);
            }
        }
    }

    /**
     * What other policies do to this one.
     *
     * @param conflictsWith older policies that own the same unique name
     * @param affectedBy policies that change what this one sees; absent when nobody worked it out
     * @param notice what was asked for and has no effect
     */
    public record Precedence(
            List<String> conflictsWith,
            Overriding overriding,
            Optional<List<String>> affectedBy,
            Optional<String> notice) {

        public static final Precedence UNDISPUTED =
                new Precedence(List.of(), new Overriding.None(), Optional.of(List.of()));

        public Precedence {
            conflictsWith = List.copyOf(conflictsWith);
            affectedBy = affectedBy.map(List::copyOf);
        }

        public Precedence(List<String> conflictsWith, Overriding overriding, Optional<List<String>> affectedBy) {
            this(conflictsWith, overriding, affectedBy, Optional.empty());
        }
    }

    /** Whether something else decides in this policy's stead. */
    public sealed interface Overriding {

        record None() implements Overriding {}

        /** For a part of the requests that it is meant to see. */
        record Partly(List<String> by) implements Overriding {}

        /** For all of them. */
        record Wholly(List<String> by) implements Overriding {}
    }
}
