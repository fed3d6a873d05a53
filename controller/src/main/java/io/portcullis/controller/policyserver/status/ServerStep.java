package io.portcullis.controller.policyserver.status;

/** The steps of a reconcile pass, in order, each with the condition that reports its outcome. */
public enum ServerStep {
    CA("CARootSecretReconciled"),
    RBAC("RBACReconciled"),
    SECRETS("CertSecretReconciled"),
    CONFIG_MAP("ConfigMapReconciled"),
    CACHE("CacheReconciled"),
    SERVICES("ServiceReconciled"),
    STATEFUL_SET("StatefulSetReconciled"),
    /** Deprecated alias for existing scripts. Reports the outcome of {@link #STATEFUL_SET}. */
    DEPLOYMENT("DeploymentReconciled"),
    DISRUPTION_BUDGET("PodDisruptionBudgetReconciled"),
    NETWORK_POLICY("NetworkPolicyReconciled");

    private final String condition;

    ServerStep(String condition) {
        this.condition = condition;
    }

    public String condition() {
        return condition;
    }
}
