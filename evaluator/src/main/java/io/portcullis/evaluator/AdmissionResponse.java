package io.portcullis.evaluator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The {@code response} object of an AdmissionReview. {@code auditAnnotations} and {@code warnings} are null if the
 * policy returned none, because the wire format distinguishes absent from empty.
 */
public record AdmissionResponse(
        String uid,
        boolean allowed,
        Optional<byte[]> patch,
        Optional<Status> status,
        @Nullable Map<String, String> auditAnnotations,
        @Nullable List<String> warnings) {

    public record Status(
            Optional<String> status,
            Optional<String> message,
            Optional<String> reason,
            Optional<Details> details,
            Optional<Integer> code) {

        public static Status message(String message) {
            return new Status(
                    Optional.empty(), Optional.of(message), Optional.empty(), Optional.empty(), Optional.empty());
        }

        public static Status error(String message) {
            return new Status(
                    Optional.empty(), Optional.of(message), Optional.empty(), Optional.empty(), Optional.of(500));
        }
    }

    public record Details(
            Optional<String> name,
            Optional<String> group,
            Optional<String> kind,
            Optional<String> uid,
            List<Cause> causes,
            Optional<Integer> retryAfterSeconds) {

        public static Details causes(List<Cause> causes) {
            return new Details(
                    Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), causes, Optional.empty());
        }
    }

    public record Cause(
            @Nullable String reason,
            @Nullable String message,
            @Nullable String field) {}

    public static AdmissionResponse allow(String uid) {
        return new AdmissionResponse(uid, true, Optional.empty(), Optional.empty(), null, null);
    }

    public static AdmissionResponse reject(String uid, Status status) {
        return new AdmissionResponse(uid, false, Optional.empty(), Optional.of(status), null, null);
    }
}
