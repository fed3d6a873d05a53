package io.portcullis.kwctl.cluster;

import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.Positional;
import java.util.List;

/** Options that all cluster commands share. */
final class ClusterOptions {

    static final Option KUBECONFIG =
            Option.one("kubeconfig", "FILE", "Kubeconfig to use instead of $KUBECONFIG or ~/.kube/config");
    static final Option CONTEXT = Option.one("context", "NAME", "Context of the kubeconfig to use");
    static final Option NAMESPACE = Option.one(
                    "namespace", "NAMESPACE", "Consider only the namespaced policies of this namespace")
            .withShort('n');
    static final Option KIND = Option.choice(
            "kind",
            "KIND",
            List.of(
                    "AdmissionPolicy",
                    "ClusterAdmissionPolicy",
                    "AdmissionPolicyGroup",
                    "ClusterAdmissionPolicyGroup",
                    "ap",
                    "cap",
                    "apg",
                    "capg"),
            "Consider only policies of this kind");
    static final Option TIMEOUT = Option.one("timeout", "DURATION", "How long to wait at most, for example 90s or 5m")
            .withDefault("60s");

    private static final String POLICY_HELP = "The policy: NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME";

    private ClusterOptions() {}

    /** Returns the spec of a command about one policy. */
    static CommandSpec aboutPolicy(String path, String summary) {
        return aboutCluster(path, summary)
                .taking(Positional.one("policy", POLICY_HELP))
                .with(NAMESPACE, KIND);
    }

    /** Returns the spec of a command about one policy or all policies. */
    static CommandSpec aboutPolicies(String path, String summary) {
        return aboutCluster(path, summary)
                .taking(new Positional("policy", false, false, POLICY_HELP + "; all policies when absent"))
                .with(NAMESPACE, KIND);
    }

    static CommandSpec aboutCluster(String path, String summary) {
        return CommandSpec.of(path, summary).with(KUBECONFIG, CONTEXT);
    }
}
