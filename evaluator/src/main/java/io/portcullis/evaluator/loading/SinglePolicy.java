package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.review.ResponseRules;
import io.portcullis.wasm.Deadline;

/** One module, one verdict. */
record SinglePolicy(PolicyEvaluator judge, ResponseRules enforcement) implements LoadedPolicy {

    @Override
    public AdmissionResponse audit(EvaluationRequest request, Deadline deadline) {
        return judge.judge(request, deadline).response();
    }

    @Override
    public AdmissionResponse enforce(AdmissionResponse verdict) {
        return enforcement.apply(verdict);
    }

    @Override
    public void validateSettings() {
        judge.validateSettings();
    }

    @Override
    public void close() {
        judge.close();
    }
}
