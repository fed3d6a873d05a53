package io.portcullis.audit.evaluation;

/**
 * What a policy says of an object.
 *
 * @param generation of the policy that said it; 0 when not known
 */
public record AuditVerdict(Result result, String message, long generation) {

    /** As reports name them. */
    public enum Result {
        PASS("pass"),
        FAIL("fail"),
        ERROR("error");

        private final String wireName;

        Result(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    static AuditVerdict error(String message, long generation) {
        return new AuditVerdict(Result.ERROR, message, generation);
    }
}
