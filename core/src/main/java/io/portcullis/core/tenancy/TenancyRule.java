package io.portcullis.core.tenancy;

/** The rules of {@code spec.tenancy}, each with the name of the field that sets it. */
public enum TenancyRule {
    NAMESPACE_SELECTOR("namespaceSelector"),
    MODULE_SCHEMES("moduleSources.schemes"),
    MODULE_REGISTRIES("moduleSources.registries"),
    MODULE_REPOSITORIES("moduleSources.repositories"),
    REQUIRE_SIGNATURE("requireSignature"),
    MAX_POLICIES("maxPoliciesPerNamespace"),
    MAX_MODULES("maxModulesPerNamespace"),
    CONTEXT_AWARE_RESOURCES("contextAwareResources");

    private final String field;

    TenancyRule(String field) {
        this.field = field;
    }

    /** The field below {@code spec.tenancy}. */
    public String field() {
        return field;
    }
}
