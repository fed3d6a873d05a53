package io.portcullis.kwctl.run;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.kwctl.policy.PolicyLocation;
import java.util.List;

/** A request, the policies to evaluate, and the resources that they need. The modules are already fetched. */
public record PreparedRun(
        RequestDocument request,
        List<PolicyRun> policies,
        Modules modules,
        PolicyLocation source,
        Evaluation evaluation,
        HostSession.Mode mode)
        implements AutoCloseable {

    public PreparedRun {
        policies = List.copyOf(policies);
    }

    public AdmissionResponse judge(PolicyRun policy) {
        return evaluation.judge(policy, request, modules, mode);
    }

    @Override
    public void close() {
        evaluation.close();
        source.close();
    }
}
