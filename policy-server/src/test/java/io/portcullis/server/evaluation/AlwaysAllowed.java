package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.wasm.Deadline;

/** A policy without a module that allows everything, for tests of the code around policies. */
public final class AlwaysAllowed implements LoadedPolicy {

    @Override
    public AdmissionResponse audit(EvaluationRequest request, Deadline deadline) {
        return AdmissionResponse.allow(request.uid());
    }

    @Override
    public AdmissionResponse enforce(AdmissionResponse verdict) {
        return verdict;
    }

    @Override
    public void validateSettings() {}

    @Override
    public void close() {}
}
