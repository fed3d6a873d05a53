package io.portcullis.core.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The decision on a rollback request, which is the annotation {@code kubewarden.io/rollback-to}. */
public sealed interface Rollback {

    /** Write the content of this generation back into the policy. */
    record To(long generation) implements Rollback {}

    /** The rollback is not possible. The message is for the user. */
    record Refused(String message) implements Rollback {}

    /** A generation whose revision is kept. */
    record Candidate(long generation, boolean wasEnforced, PolicyMode mode) {

        public static Candidate of(Revision revision) {
            return new Candidate(revision.generation(), revision.wasActivated(), revision.mode());
        }

        public static Candidate of(RevisionSummary revision) {
            return new Candidate(revision.generation(), revision.wasEnforced(), PolicyMode.of(revision.mode()));
        }

        /** Returns why the policy cannot get this content, if so. A rollback must not end protection. */
        private Optional<String> obstacle(long generation, PolicyMode mode) {
            if (this.generation == generation) {
                return Optional.of("generation " + generation + " is the present one");
            }
            return mode == PolicyMode.PROTECT && this.mode == PolicyMode.MONITOR
                    ? Optional.of("revision " + this.generation + " runs in monitor mode")
                    : Optional.empty();
        }

        /** Returns whether a rollback to this generation is possible. */
        public boolean isRestorable(long generation, PolicyMode mode) {
            return obstacle(generation, mode).isEmpty();
        }

        private String display(long generation) {
            var remarks = (this.generation == generation ? ", present" : "")
                    + (mode == PolicyMode.MONITOR ? ", monitor" : "")
                    + (wasEnforced ? "" : ", never enforced");
            return this.generation + (remarks.isEmpty() ? "" : " (" + remarks.substring(2) + ")");
        }
    }

    /** Returns the generations that the policy can get back. Content that was changed after it was frozen is never restored. */
    static List<Candidate> candidates(List<PolicyRevision> revisions) {
        return revisions.stream()
                .filter(revision -> revision.getSpec().isIntact())
                .map(Revision::of)
                .map(Candidate::of)
                .toList();
    }

    /**
     * Decides on a rollback request.
     *
     * @param request a generation, or {@code previous}
     * @param generation the policy's current generation
     * @param mode the policy's current mode
     * @param retained the generations of this policy whose revisions are kept
     */
    static Rollback decide(String request, long generation, PolicyMode mode, List<Candidate> retained) {
        var wanted = request.equals("previous") ? previous(generation, retained) : number(request);
        if (wanted.isEmpty()) {
            return refused(
                    request.equals("previous")
                            ? "no earlier revision was ever in use"
                            : "\"" + request + "\" is neither a generation nor \"previous\"",
                    generation,
                    retained);
        }
        long target = wanted.getAsLong();
        var candidate = retained.stream()
                .filter(revision -> revision.generation() == target)
                .findFirst();
        if (target != generation && candidate.isEmpty()) {
            return refused("no revision of generation " + target + " is kept", generation, retained);
        }
        return candidate
                .orElseGet(() -> new Candidate(target, false, mode))
                .obstacle(generation, mode)
                .<Rollback>map(why -> refused(why, generation, retained))
                .orElseGet(() -> new To(target));
    }

    private static Refused refused(String why, long generation, List<Candidate> retained) {
        return new Refused("cannot roll back: " + why + "; " + kept(generation, retained));
    }

    /** Lists the kept generations, newest first. */
    private static String kept(long generation, List<Candidate> retained) {
        if (retained.isEmpty()) {
            return "no generation is kept";
        }
        var more =
                retained.size() > History.MAX_LISTED ? " and " + (retained.size() - History.MAX_LISTED) + " more" : "";
        return retained.stream()
                        .sorted(Comparator.comparingLong(Candidate::generation).reversed())
                        .limit(History.MAX_LISTED)
                        .map(candidate -> candidate.display(generation))
                        .collect(Collectors.joining(", ", "kept generations: ", ""))
                + more;
    }

    /** Returns the old spec with the current {@code policyServer}, so that a rollback does not move the policy. */
    static ObjectNode restoredSpec(ObjectNode live, ObjectNode old) {
        var restored = old.deepCopy();
        if (live.has("policyServer")) {
            restored.set("policyServer", live.get("policyServer"));
        } else {
            restored.remove("policyServer");
        }
        return restored;
    }

    /** Returns the newest earlier generation that was enforced. */
    private static OptionalLong previous(long generation, List<Candidate> retained) {
        return retained.stream()
                .filter(revision -> revision.wasEnforced() && revision.generation() < generation)
                .mapToLong(Candidate::generation)
                .max();
    }

    private static OptionalLong number(String request) {
        return request.matches("[1-9]\\d{0,17}") ? OptionalLong.of(Long.parseLong(request)) : OptionalLong.empty();
    }
}
