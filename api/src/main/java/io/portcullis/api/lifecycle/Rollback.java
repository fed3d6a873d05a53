package io.portcullis.api.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyMode;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/** What the annotation {@code kubewarden.io/rollback-to} asks for. */
public sealed interface Rollback {

    /** Write that revision's content back into the policy. */
    record To(Revision revision) implements Rollback {}

    /** It cannot be done; the text is for the user. */
    record Refused(String message) implements Rollback {}

    /**
     * Decides on a request.
     *
     * @param request a generation, or {@code previous}
     * @param generation the policy's present generation
     * @param mode the policy's present mode
     * @param retained the revisions of this policy that still exist
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

    /** The old content, except that the policy stays on the server it is on. */
    static ObjectNode restoredSpec(ObjectNode live, ObjectNode old) {
        var restored = old.deepCopy();
        if (live.has("policyServer")) {
            restored.set("policyServer", live.get("policyServer"));
        } else {
            restored.remove("policyServer");
        }
        return restored;
    }

    /** The newest earlier generation that was in use. */
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
