package io.portcullis.api.policy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A generation whose revision is kept, in {@code status.revisions} of its policy. Owners of a policy may not read revisions,
 * so the summary has what they need to find and request a rollback. It contains no settings.
 *
 * @param created when the revision was created
 * @param mode mode of that generation
 * @param modules the modules by digest; empty until the leader has resolved them
 * @param wasEnforced whether a webhook has ever pointed at this generation
 * @param restorable whether a rollback to this generation is possible now
 * @param rollbackOf the generation whose content this one restored
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RevisionSummary(
        long generation,
        @Nullable String created,
        String mode,
        List<Module> modules,
        boolean wasEnforced,
        boolean restorable,
        @Nullable Long rollbackOf) {

    public RevisionSummary {
        mode = mode == null ? "" : mode;
        modules = modules == null ? List.of() : List.copyOf(modules);
    }

    /**
     * A module.
     *
     * @param member the group member that uses the module; absent for a policy that is no group
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Module(@Nullable String member, String digest) {}
}
