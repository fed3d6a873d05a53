package io.portcullis.api.condition;

import static io.portcullis.api.condition.ConditionStatus.FALSE;
import static io.portcullis.api.condition.ConditionStatus.TRUE;
import static io.portcullis.api.condition.ConditionStatus.UNKNOWN;
import static io.portcullis.api.condition.ConditionType.INITIALIZED;
import static io.portcullis.api.condition.ConditionType.READY;
import static io.portcullis.api.condition.ConditionType.SCHEDULED;
import static io.portcullis.api.condition.ConditionType.VERIFIED;
import static io.portcullis.api.condition.Reason.Fault.DEFECT;
import static io.portcullis.api.condition.Reason.Fault.ENVIRONMENT;
import static io.portcullis.api.condition.Reason.Fault.NONE;

import java.util.Arrays;
import java.util.Optional;

/** All reasons of lifecycle conditions, each with its condition type, status and fault. */
public enum Reason {
    WAITING_FOR_POLICY_SERVER("WaitingForPolicyServer", SCHEDULED, FALSE, NONE),
    NO_POLICY_SERVER("NoPolicyServer", SCHEDULED, FALSE, ENVIRONMENT),
    POLICY_SERVER_NOT_FOUND("PolicyServerNotFound", SCHEDULED, FALSE, ENVIRONMENT),
    POLICY_SERVER_DELETED("PolicyServerDeleted", SCHEDULED, FALSE, ENVIRONMENT),
    POLICY_SERVER_SCALED_TO_ZERO("PolicyServerScaledToZero", SCHEDULED, FALSE, ENVIRONMENT),
    /** The uninstallation writes this reason; the next installation replaces it. */
    UNINSTALLED("Uninstalled", SCHEDULED, FALSE, ENVIRONMENT),
    /** The leader lease has had no holder for more than 30 seconds. */
    POLICY_SERVER_NOT_RUNNING("PolicyServerNotRunning", SCHEDULED, FALSE, ENVIRONMENT),
    /** Another policy owns the unique name; the controller creates no revision. */
    CONFLICTED("Conflicted", SCHEDULED, FALSE, DEFECT),
    POLICY_SCHEDULED("PolicyScheduled", SCHEDULED, TRUE, NONE),

    INITIALIZING("Initializing", INITIALIZED, UNKNOWN, NONE),
    POLICY_INITIALIZED("PolicyInitialized", INITIALIZED, TRUE, NONE),
    PULL_ERROR("PullError", INITIALIZED, FALSE, ENVIRONMENT),
    REGISTRY_AUTH_ERROR("RegistryAuthError", INITIALIZED, FALSE, ENVIRONMENT),
    TIMEOUT("Timeout", INITIALIZED, FALSE, ENVIRONMENT),
    CACHE_WRITE_ERROR("CacheWriteError", INITIALIZED, FALSE, ENVIRONMENT),
    /** An unexpected error in the policy server. It is not the policy's fault, so the server retries. */
    INTERNAL_ERROR("InternalError", INITIALIZED, FALSE, ENVIRONMENT),
    /** The policy violates {@code spec.tenancy} of its PolicyServer. */
    TENANCY_VIOLATION("TenancyViolation", INITIALIZED, FALSE, DEFECT),
    /** The process that prepares the module was killed or reached a limit. The module is quarantined and retried later. */
    PREPARATION_FAILED("PreparationFailed", INITIALIZED, FALSE, ENVIRONMENT),
    SIGNATURE_VERIFICATION_ERROR("SignatureVerificationError", INITIALIZED, FALSE, DEFECT),
    DIGEST_MISMATCH("DigestMismatch", INITIALIZED, FALSE, DEFECT),
    PRECOMPILATION_ERROR("PrecompilationError", INITIALIZED, FALSE, DEFECT),
    UNSUPPORTED_POLICY("UnsupportedPolicy", INITIALIZED, FALSE, DEFECT),
    INVALID_SETTINGS("InvalidSettings", INITIALIZED, FALSE, DEFECT),
    INVALID_EXPRESSION("InvalidExpression", INITIALIZED, FALSE, DEFECT),

    /** The generation was initialized before the verification config became stricter. It stays enforced. */
    SIGNATURE_NOT_ACCEPTED("SignatureNotAccepted", VERIFIED, FALSE, NONE),

    WAITING_FOR_REPLICA("WaitingForReplica", READY, UNKNOWN, NONE),
    REPLICA_STARTING("ReplicaStarting", READY, UNKNOWN, NONE),
    REPLICA_NOT_READY("ReplicaNotReady", READY, UNKNOWN, NONE),
    WAITING_FOR_INITIALIZATION("WaitingForInitialization", READY, UNKNOWN, NONE),
    POLICY_READY("PolicyReady", READY, TRUE, NONE),
    LOAD_ERROR("LoadError", READY, FALSE, ENVIRONMENT),
    CACHE_INTEGRITY_ERROR("CacheIntegrityError", READY, FALSE, ENVIRONMENT),
    BOOTSTRAP_LOAD_ERROR("BootstrapLoadError", READY, FALSE, ENVIRONMENT),
    OUT_OF_MEMORY("OutOfMemory", READY, FALSE, ENVIRONMENT);

    /** The origin of a failure. It decides whether to retry and which value {@code Accepted} has. */
    public enum Fault {
        /** No failure. */
        NONE,
        /** The registry, storage or cluster fails. The failure may be temporary, so it is retried. */
        ENVIRONMENT,
        /** The content of the policy is wrong. The failure stays until the policy or the server configuration changes. */
        DEFECT
    }

    private final String wireName;
    private final ConditionType type;
    private final ConditionStatus status;
    private final Fault fault;

    Reason(String wireName, ConditionType type, ConditionStatus status, Fault fault) {
        this.wireName = wireName;
        this.type = type;
        this.status = status;
        this.fault = fault;
    }

    public static Optional<Reason> parse(String wireName) {
        return Arrays.stream(values())
                .filter(reason -> reason.wireName.equals(wireName))
                .findFirst();
    }

    public String wireName() {
        return wireName;
    }

    public ConditionType type() {
        return type;
    }

    public ConditionStatus status() {
        return status;
    }

    public Fault fault() {
        return fault;
    }
}
