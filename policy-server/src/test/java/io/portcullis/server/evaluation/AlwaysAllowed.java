package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.wasm.Deadline;

/** A policy without a module that allows everything, for tests of the code around policies. */
public final class AlwaysAllowed implements LoadedPolicy {

    @Override
    public PolicyVerdict audit(EvaluationRequest request, Deadline deadline) {
        return new PolicyVerdict.Decided(AdmissionResponse.allow(request.uid()));
    }

    @Override
    public AdmissionResponse enforce(PolicyVerdict verdict) {
        return verdict.response();
    }

    @Override
    public void validateSettings() {}

    @Override
    public void close() {}
}
