package io.portcullis.controller.policyserver;

/** The steps of a pass, in order, each with the condition that tells how it went. */
enum ServerStep {
    CA("CARootSecretReconciled"),
    RBAC("RBACReconciled"),
    SECRETS("CertSecretReconciled"),
    CONFIG_MAP("ConfigMapReconciled"),
    CACHE("CacheReconciled"),
    SERVICES("ServiceReconciled"),
    STATEFUL_SET("StatefulSetReconciled"),
    /** Deprecated: what existing scripts wait for. Says what {@link #STATEFUL_SET} says. */
    DEPLOYMENT("DeploymentReconciled"),
    DISRUPTION_BUDGET("PodDisruptionBudgetReconciled"),
    NETWORK_POLICY("NetworkPolicyReconciled");

    private final String condition;

    ServerStep(String condition) {
        this.condition = condition;
    }

    String condition() {
        return condition;
    }
}
