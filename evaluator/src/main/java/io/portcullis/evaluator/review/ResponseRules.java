package io.portcullis.evaluator.review;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Applies a policy's definition to its verdicts. Pure.
 *
 * <p>Differs from Kubewarden where that helps the user. A rejection never contains a patch. A policy that rejects and
 * mutates without permission keeps its own message.
 */
public record ResponseRules(String policyId, PolicyMode mode, boolean allowedToMutate, Optional<String> message) {

    public AdmissionResponse apply(AdmissionResponse verdict) {
        return switch (mode) {
            case MONITOR -> accepted(verdict);
            case PROTECT -> withMessage(withoutForbiddenPatch(verdict));
        };
    }

    private static AdmissionResponse accepted(AdmissionResponse verdict) {
        return new AdmissionResponse(
                verdict.uid(),
                true,
                Optional.empty(),
                Optional.empty(),
                verdict.auditAnnotations(),
                verdict.warnings());
    }

    private AdmissionResponse withoutForbiddenPatch(AdmissionResponse verdict) {
        if (verdict.patch().isEmpty() || (verdict.allowed() && allowedToMutate)) {
            return verdict;
        }
        return rejected(verdict, verdict.allowed() ? Optional.of(mutationForbidden()) : verdict.status());
    }

    private Status mutationForbidden() {
        return Status.message(
                "Request rejected by policy " + policyId
                        + ". The policy attempted to mutate the request, but it is currently configured to not allow mutations.");
    }

    private AdmissionResponse withMessage(AdmissionResponse verdict) {
        if (verdict.allowed() || message.isEmpty()) {
            return verdict;
        }
        var old = verdict.status();
        var causes = new ArrayList<>(
                old.flatMap(Status::details).map(Details::causes).orElse(List.of()));
        causes.add(new Cause(null, old.flatMap(Status::message).orElse(""), null));
        return rejected(
                verdict,
                Optional.of(new Status(
                        old.flatMap(Status::status),
                        message,
                        old.flatMap(Status::reason),
                        Optional.of(withCauses(old.flatMap(Status::details), causes)),
                        old.flatMap(Status::code))));
    }

    private static Details withCauses(Optional<Details> old, List<Cause> causes) {
        return old.map(details -> new Details(
                        details.name(),
                        details.group(),
                        details.kind(),
                        details.uid(),
                        causes,
                        details.retryAfterSeconds()))
                .orElseGet(() -> Details.causes(causes));
    }

    private static AdmissionResponse rejected(AdmissionResponse verdict, Optional<Status> status) {
        return new AdmissionResponse(
                verdict.uid(), false, Optional.empty(), status, verdict.auditAnnotations(), verdict.warnings());
    }
}
