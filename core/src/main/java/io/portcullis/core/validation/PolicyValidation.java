package io.portcullis.core.validation;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.core.lifecycle.GitOpsOwner;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.core.webhook.WebhookNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Admission of policies of all four kinds. The caller additionally checks group expressions (CEL) and does a dry run of the
 * webhook.
 *
 * @param namespace namespace of the policy servers
 * @param acceptsAllInside whether the policy servers accept all requests of that namespace
 */
public record PolicyValidation(IdentityScheme scheme, String namespace, boolean acceptsAllInside) {

    private static final int MAX_ID_LENGTH = 253 - WebhookNames.ENTRY_SUFFIX.length();

    /**
     * Permissions of the user who requests an update, and the revisions for a rollback.
     *
     * @param mayDelete whether the user may delete the policy, and so may also take it off its server
     * @param retained existing revisions of the policy
     */
    public record Change(boolean mayDelete, List<Revision> retained) {}

    public Validation create(Policy policy) {
        return switch (read(policy)) {
            case Reading.Malformed malformed -> Validation.refused(malformed.error());
            case Reading.Valid valid -> {
                var errors = new ArrayList<>(content(policy, valid.spec()));
                errors.addAll(PrecedenceChecks.created(policy));
                yield new Validation(errors, warnings(policy));
            }
        };
    }

    /** Returns the content errors of a policy that may have bypassed admission. */
    public List<FieldError> defects(Policy policy) {
        return switch (read(policy)) {
            case Reading.Malformed malformed -> List.of(malformed.error());
            case Reading.Valid valid -> content(policy, valid.spec());
        };
    }

    public Validation update(Policy policy, Policy old, Change change) {
        return switch (read(policy)) {
            case Reading.Malformed malformed -> Validation.refused(malformed.error());
            case Reading.Valid valid -> {
                var spec = valid.spec();
                var errors = new ArrayList<>(content(policy, spec));
                var warnings = warnings(policy);
                if (read(old) instanceof Reading.Valid before) {
                    policyServer(before.spec(), spec, change).ifPresent(errors::add);
                    mode(policy.ref(), before.spec(), spec).ifPresent(errors::add);
                    moveToDefault(before.spec(), spec).ifPresent(warnings::add);
                }
                if (isNewRollbackRequest(policy, old)) {
                    rollback(policy, spec, change).ifPresent(errors::add);
                    GitOpsOwner.warning(policy).ifPresent(warnings::add);
                }
                errors.addAll(PrecedenceChecks.changed(policy, old));
                yield new Validation(errors, warnings);
            }
        };
    }

    private List<FieldError> content(Policy policy, PolicySpec spec) {
        var errors = new ArrayList<FieldError>();
        name(policy).ifPresent(errors::add);
        errors.addAll(RuleChecks.of(spec.match().rules(), policy.policyKind().isNamespaced()));
        errors.addAll(MatchConditionChecks.of(spec.match().matchConditions()));
        errors.addAll(ContentChecks.of(spec.content(), spec.call().effectiveTimeoutSeconds()));
        return errors;
    }

    /** Limits the length of names derived from the policy's name. Otherwise the rollout of an admitted policy would fail. */
    private Optional<FieldError> name(Policy policy) {
        var id = scheme.policyId(policy.ref());
        return id.length() > MAX_ID_LENGTH
                ? Optional.of(FieldError.invalid(
                        "metadata.name",
                        policy.getMetadata().getName(),
                        "the unique name %s has more than %d characters".formatted(id, MAX_ID_LENGTH)))
                : Optional.empty();
    }

    /** Allows a change of the server only to users who may delete the policy, because the change disables the policy. */
    private static Optional<FieldError> policyServer(PolicySpec before, PolicySpec after, Change change) {
        var from = before.placement().policyServer();
        boolean allowed = from.isEmpty() || from.equals(after.placement().policyServer()) || change.mayDelete();
        return allowed
                ? Optional.empty()
                : Optional.of(FieldError.forbidden(
                        "spec.policyServer", "the field is immutable for users that cannot delete the policy"));
    }

    /**
     * Warns of a move to the default PolicyServer. The API server fills in its name when a manifest no longer has the field, and a
     * webhook cannot tell the two apart.
     */
    private static Optional<String> moveToDefault(PolicySpec before, PolicySpec after) {
        var from = before.placement().policyServer();
        var to = after.placement().policyServer();
        return from.isEmpty() || from.equals(to) || !to.equals(PolicySpec.DEFAULT_POLICY_SERVER)
                ? Optional.empty()
                : Optional.of(
                        ("spec.policyServer: the policy moves from \"%s\" to \"%s\", which is also what a removed field means;"
                                        + " to take the policy off every PolicyServer, set the field to \"\"")
                                .formatted(from, to));
    }

    private static Optional<FieldError> mode(PolicyRef policy, PolicySpec before, PolicySpec after) {
        return before.placement().mode() == PolicyMode.PROTECT
                        && after.placement().mode() == PolicyMode.MONITOR
                ? Optional.of(FieldError.forbidden(
                        "spec.mode",
                        "field cannot transition from protect to monitor. Recreate instead. (Without a gap: create the policy"
                                + " under another name with mode monitor, wait until it is active, then run: "
                                + deletion(policy) + ")"))
                : Optional.empty();
    }

    private static String deletion(PolicyRef policy) {
        var command = "kubectl delete " + policy.kind().plural() + " " + policy.name();
        return policy.kind().isNamespaced() ? command + " --namespace " + policy.namespace() : command;
    }

    private static boolean isNewRollbackRequest(Policy policy, Policy old) {
        var request = policy.annotation(PolicyNames.ROLLBACK_TO);
        return request.isPresent() && !request.equals(old.annotation(PolicyNames.ROLLBACK_TO));
    }

    private static Optional<FieldError> rollback(Policy policy, PolicySpec spec, Change change) {
        var request = policy.annotation(PolicyNames.ROLLBACK_TO).orElseThrow();
        return switch (Rollback.decide(
                request,
                Objects.requireNonNullElse(policy.getMetadata().getGeneration(), 0L),
                spec.placement().mode(),
                change.retained().stream().map(Rollback.Candidate::of).toList())) {
            case Rollback.To _ -> Optional.empty();
            case Rollback.Refused refused ->
                Optional.of(FieldError.invalid(
                        "metadata.annotations[" + PolicyNames.ROLLBACK_TO + "]", request, refused.message()));
        };
    }

    private ArrayList<String> warnings(Policy policy) {
        var warnings = new ArrayList<>(PrecedenceChecks.warnings(policy));
        if (acceptsAllInside
                && policy.policyKind().isNamespaced()
                && namespace.equals(policy.getMetadata().getNamespace())) {
            warnings.add("policy servers accept every request of namespace %s, so this policy will not act"
                    .formatted(namespace));
        }
        return warnings;
    }

    private static Reading read(Policy policy) {
        try {
            return new Reading.Valid(policy.read());
        } catch (FlatObject.MalformedException e) {
            return new Reading.Malformed(new FieldError(FieldError.Type.INVALID, e.path(), e.problem()));
        }
    }

    private sealed interface Reading {

        record Valid(PolicySpec spec) implements Reading {}

        record Malformed(FieldError error) implements Reading {}
    }
}
