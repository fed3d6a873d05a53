package io.portcullis.kwctl.cluster;

import io.portcullis.api.condition.Reason;

/** Advice for the user on each reason of a lifecycle condition. */
final class Advice {

    private static final String RETRIED = "; it is tried again by itself";

    private Advice() {}

    static String on(Reason reason) {
        return switch (reason) {
            case WAITING_FOR_POLICY_SERVER, POLICY_SCHEDULED, INITIALIZING, POLICY_INITIALIZED ->
                "wait for the policy server to prepare it";
            case NO_POLICY_SERVER -> "name a PolicyServer in spec.policyServer";
            case POLICY_SERVER_NOT_FOUND, POLICY_SERVER_DELETED ->
                "create that PolicyServer, or name another in spec.policyServer";
            case POLICY_SERVER_SCALED_TO_ZERO -> "give the PolicyServer at least one replica (spec.replicas)";
            case UNINSTALLED -> "install Portcullis again, or delete the policy";
            case POLICY_SERVER_NOT_RUNNING ->
                "look at the pods of the PolicyServer and their logs: none of them is at work";
            case CONFLICTED ->
                "rename or delete one of the policies that share the name, or give one of them another policy-key or scope";
            case PULL_ERROR ->
                "check that spec.module exists and that the policy server can reach the registry" + RETRIED;
            case REGISTRY_AUTH_ERROR ->
                "check the credentials that spec.imagePullSecret of the PolicyServer names" + RETRIED;
            case TIMEOUT -> "check how fast the registry answers" + RETRIED;
            case CACHE_WRITE_ERROR -> "check the storage of the policy server's module cache" + RETRIED;
            case INTERNAL_ERROR -> "report this with the log of the policy server's leader" + RETRIED;
            case TENANCY_VIOLATION ->
                "change the policy to what the message allows, or ask a cluster administrator to change the rule; it is checked again every 30 seconds";
            case PREPARATION_FAILED ->
                "use a smaller module, or have the PolicyServer's owner raise the limit that the message names";
            case SIGNATURE_VERIFICATION_ERROR ->
                "have the module signed as the PolicyServer's verification config demands; `kwctl verify` checks it";
            case SIGNATURE_NOT_ACCEPTED ->
                "have the module signed as the PolicyServer's verification config demands (`kwctl verify` checks it), or change that config; spec.unverifiedPolicies of the PolicyServer says what happens to such policies";
            case DIGEST_MISMATCH -> "pin the right digest: the registry holds other bytes than the policy names";
            case PRECOMPILATION_ERROR -> "use another build of the module: this one is not valid WebAssembly";
            case UNSUPPORTED_POLICY ->
                "use a module that this policy server understands; `kwctl inspect` tells its kind";
            case INVALID_SETTINGS -> "correct spec.settings; `kwctl run --settings-path` tries them out";
            case INVALID_EXPRESSION -> "correct spec.expression; it must be boolean and name members of spec.policies";
            case WAITING_FOR_REPLICA, REPLICA_STARTING, REPLICA_NOT_READY, WAITING_FOR_INITIALIZATION, POLICY_READY ->
                "wait for the replicas to load it";
            case LOAD_ERROR, BOOTSTRAP_LOAD_ERROR -> "look at the log of that replica" + RETRIED;
            case CACHE_INTEGRITY_ERROR ->
                "look at the policy server's module cache: a file in it is not what was put there" + RETRIED;
            case OUT_OF_MEMORY -> "give the PolicyServer more memory (spec.limits) or fewer policies";
        };
    }
}
