package io.portcullis.evaluator.metadata;

/** The contract between a module and its host. */
public enum ExecutionMode {
    KUBEWARDEN_WAPC("kubewarden-wapc"),
    OPA("opa"),
    GATEKEEPER("gatekeeper"),
    WASI("wasi");

    private final String wireName;

    ExecutionMode(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }

    /** Whether modules of this mode are compiled from Rego. */
    public boolean isRego() {
        return this == OPA || this == GATEKEEPER;
    }
}
