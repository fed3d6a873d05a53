package io.portcullis.audit.evaluation;

/**
 * The verdict of a policy on an object.
 *
 * @param generation of the policy that returned the verdict; 0 if unknown
 */
public record AuditVerdict(Result result, String message, long generation) {

    /** Results, with their names in reports. */
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
