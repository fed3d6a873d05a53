package io.portcullis.server.cluster.initialization;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.ManualClock;
import io.portcullis.server.cluster.metrics.LoadMetrics;
import io.portcullis.server.cluster.modules.LoopbackModule;
import io.portcullis.server.cluster.modules.UntrustedModules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Initialises a group whose only member is made for services. The cache has no signing key, which is the last step. */
class InitializerTest {

    private static final Path SERVICES = Path.of("..", "policies", "opa-service-types", "policy.wasm");

    private final ManualClock clock = new ManualClock();

    @TempDir
    Path directory;

    @Test
    void refusesAGroupWhoseRulesSelectNothingThatAMemberIsMadeFor() throws Exception {
        var failed = initialize("", "pods");

        assertThat(failed.reason()).isEqualTo(Reason.INVALID_EXPRESSION);
        assertThat(failed.message())
                .contains("can never be meaningful: member 'types' is made for services, but the rules of the group"
                        + " select pods");
    }

    @Test
    void initialisesAGroupWhoseRulesSelectMore() throws Exception {
        assertThat(initialize("", "pods", "services").reason()).isEqualTo(Reason.CACHE_WRITE_ERROR);
        assertThat(initialize("*", "*").reason()).isEqualTo(Reason.CACHE_WRITE_ERROR);
    }

    private InitializationOutcome.Failed initialize(String apiGroup, String... resources) throws Exception {
        try (var module = new LoopbackModule(Files.readAllBytes(SERVICES));
                var engine = WasmEngines.best()) {
            var revision = revision(module.url(), apiGroup, resources);
            var modules = UntrustedModules.in(directory, module.transport(), () -> {
                throw new ArtifactException(ArtifactException.Reason.LOCAL_IO, "no key");
            });
            var loader = WasmPolicyLoader.forAllExecutionModes(
                    engine,
                    CompiledModuleCache.NONE,
                    GatedHostCapabilities.withoutBackend(PolicyLog.slf4j()),
                    clock,
                    EvaluationLimits.DEFAULT);
            var outcome = new Initializer(modules, loader, new LoadMetrics(new Metrics()))
                    .initialize(revision, PolicyLoadSpec.of(revision, List.of()), new EarlierModules(Map.of()));
            assertThat(outcome).isInstanceOf(InitializationOutcome.Failed.class);
            return (InitializationOutcome.Failed) outcome;
        }
    }

    private static ObservedRevision revision(String module, String apiGroup, String... resources) throws Exception {
        var policy = new ClusterAdmissionPolicyGroup();
        policy.setMetadata(new ObjectMetaBuilder()
                .withName("g")
                .withUid("uid")
                .withGeneration(1L)
                .build());
        policy.setSpec((ObjectNode)
                new ObjectMapper().readTree("""
                {"policyServer": "s", "expression": "!types()", "message": "no",
                 "policies": {"types": {"module": "%s", "settings": {"types": ["NodePort"]}}},
                 "rules": [{"apiGroups": ["%s"], "apiVersions": ["v1"], "resources": ["%s"], "operations": ["CREATE"]}]}
                """.formatted(module, apiGroup, String.join("\", \"", resources))));
        return new ObservedRevision(new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(policy));
    }
}
