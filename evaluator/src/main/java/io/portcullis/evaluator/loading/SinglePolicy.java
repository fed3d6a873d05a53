package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.review.ResponseRules;
import io.portcullis.wasm.Deadline;

/** A loaded policy that consists of one module. */
record SinglePolicy(PolicyEvaluator evaluator, ResponseRules responseRules) implements LoadedPolicy {

    @Override
    public PolicyVerdict audit(EvaluationRequest request, Deadline deadline) {
        return evaluator.judge(request, deadline);
    }

    @Override
    public AdmissionResponse enforce(PolicyVerdict verdict) {
        return responseRules.apply(verdict.response());
    }

    @Override
    public void validateSettings() {
        evaluator.validateSettings();
    }

    @Override
    public void close() {
        evaluator.close();
    }
}
