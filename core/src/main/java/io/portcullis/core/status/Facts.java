package io.portcullis.core.status;

import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.RevisionSummary;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * All observed facts about one policy, without state remembered from earlier reconciles. The record does not depend on
 * admission policies: it fits any kind with a target, content, replicas that serve it, and a registration.
 *
 * @param wanted rollout progress of the policy's latest generation
 * @param endpoints ready replicas behind the registration, with the result of the last probe of each
 * @param revisions the generations whose revisions are kept
 */
public record Facts(
        Subject subject,
        Target target,
        RolloutProgress wanted,
        Registration registration,
        List<Endpoint> endpoints,
        Precedence precedence,
        List<RevisionSummary> revisions) {

    public Facts {
        endpoints = List.copyOf(endpoints);
        revisions = List.copyOf(revisions);
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

        /** The policy names no server. */
        record Unnamed() implements Target {}

        /** The server does not exist. */
        record Missing(String name) implements Target {}

        /** The server is being deleted. */
        record Deleting(String name) implements Target {}

        /** The server has no replicas, because Portcullis was uninstalled. */
        record Uninstalled(String name) implements Target {}

        /**
         * The server exists.
         *
         * @param replicas number of desired replicas
         * @param settled whether all replicas run the latest rollout and are ready
         */
        record Present(String name, int replicas, boolean settled) implements Target {}

        /** Returns why the server cannot serve the policy, if so. */
        default Optional<Reason> unusable() {
            return switch (this) {
                case Unnamed _ -> Optional.of(Reason.NO_POLICY_SERVER);
                case Missing _ -> Optional.of(Reason.POLICY_SERVER_NOT_FOUND);
                case Deleting _ -> Optional.of(Reason.POLICY_SERVER_DELETED);
                case Uninstalled _ -> Optional.of(Reason.UNINSTALLED);
                case Present server ->
                    server.replicas() == 0 ? Optional.of(Reason.POLICY_SERVER_SCALED_TO_ZERO) : Optional.empty();
            };
        }
    }

    /** The live webhook configuration in the API server. */
    public sealed interface Registration {

        /** Why the API server rejected the webhook of the latest generation, if it did. */
        Optional<String> refusal();

        /** No webhook exists, or it belongs to a deleted policy of the same name. */
        record Absent(Optional<String> refusal) implements Registration {}

        /**
         * The webhook exists.
         *
         * @param progress rollout progress of the revision that the webhook points at
         * @param policyServer the server that the webhook points at
         * @param mode mode of that revision
         */
        record Registered(
                RolloutProgress progress,
                String policyServer,
                PolicyMode mode,
                Fidelity fidelity,
                Optional<String> refusal)
                implements Registration {}
    }

    /** Comparison of the live webhook with the one rendered from its revision. */
    public sealed interface Fidelity {

        record Exact() implements Fidelity {}

        /** The server receives requests, but the webhook matches other requests or has other settings than rendered. */
        record Drifted(String what) implements Fidelity {}

        /** Kind, path, service or certificate authority differ, so the server may receive no requests. */
        record Misrouted(String what) implements Fidelity {}
    }

    /** A ready replica behind the webhook. */
    public record Endpoint(String name, Probe probe) {}

    /** The result of the last probe of a replica. The probe verifies TLS with the certificate authority of the live webhook. */
    public sealed interface Probe {

        /** The replica has not been probed yet. */
        record NotProbed() implements Probe {}

        /** The probe failed. */
        record Failed(String cause) implements Probe {}

        /**
         * The probe succeeded.
         *
         * @param generations generations that the replica serves exactly as in their revisions: digest, settings, mode, right
         *     to mutate
         * @param age time since the probe
         */
        record Answered(Set<Long> generations, Duration age) implements Probe {

            public Answered {
                generations = Set.copyOf(generations);
            }
        }
    }

    /**
     * Effects of other policies on this one.
     *
     * @param conflictsWith older policies that own the same unique name
     * @param affectedBy policies that change the requests of this one; absent when it was not computed
     * @param notice message that a requested precedence has no effect
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

    /** Whether other policies or rules decide instead of this policy. */
    public sealed interface Overriding {

        record None() implements Overriding {}

        /** Others decide on a part of its requests. */
        record Partly(List<String> by) implements Overriding {}

        /** Others decide on all of its requests. */
        record Wholly(List<String> by) implements Overriding {}

        /** Older policies of its precedence key claim the same scope with the same strategy, and enforce it. */
        record Conflicting(List<String> by) implements Overriding {}
    }
}
