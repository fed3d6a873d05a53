package io.portcullis.core.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyMode;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** The decision on a rollback request, which is the annotation {@code kubewarden.io/rollback-to}. */
public sealed interface Rollback {

    /** Write the content of this revision back into the policy. */
    record To(Revision revision) implements Rollback {}

    /** The rollback is not possible. The message is for the user. */
    record Refused(String message) implements Rollback {}

    /**
     * Decides on a rollback request.
     *
     * @param request a generation, or {@code previous}
     * @param generation the policy's current generation
     * @param mode the policy's current mode
     * @param retained the existing revisions of this policy
     */
    static Rollback decide(String request, long generation, PolicyMode mode, List<Revision> retained) {
        var wanted = request.equals("previous") ? previous(generation, retained) : number(request);
        if (wanted.isEmpty()) {
            return new Refused(
                    request.equals("previous")
                            ? "cannot roll back: no earlier revision was ever in use"
                            : "cannot roll back: \"" + request + "\" is neither a generation nor \"previous\"");
        }
        long target = wanted.getAsLong();
        if (target == generation) {
            return new Refused("cannot roll back: generation " + target + " is the present one");
        }
        return retained.stream()
                .filter(revision -> revision.generation() == target)
                .findFirst()
                .<Rollback>map(revision -> mode == PolicyMode.PROTECT && revision.mode() == PolicyMode.MONITOR
                        ? new Refused("cannot roll back: revision " + target + " runs in monitor mode")
                        : new To(revision))
                .orElseGet(() -> new Refused("cannot roll back: no revision of generation " + target + " is kept"));
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

    /** Returns the newest earlier generation that was activated. */
    private static OptionalLong previous(long generation, List<Revision> retained) {
        return retained.stream()
                .filter(revision -> revision.wasActivated() && revision.generation() < generation)
                .max(Comparator.comparingLong(Revision::generation))
                .map(revision -> OptionalLong.of(revision.generation()))
                .orElse(OptionalLong.empty());
    }

    private static OptionalLong number(String request) {
        return request.matches("[1-9]\\d{0,17}") ? OptionalLong.of(Long.parseLong(request)) : OptionalLong.empty();
    }
}
