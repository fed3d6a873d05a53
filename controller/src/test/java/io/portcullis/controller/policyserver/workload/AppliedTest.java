package io.portcullis.controller.policyserver.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.portcullis.controller.policyserver.SampleServers;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Decides when an object must be written again. */
class AppliedTest {

    private static StatefulSet desired(String spec) {
        return Applied.stamped(SampleServers.statefulSet(SampleServers.serverSpec(spec)));
    }

    private static final String SPEC = "{image: i, replicas: 2, limits: {cpu: 1000m}, annotations: {a: b}}";

    @Test
    void keepsFieldsThatTheApiServerAndOthersAdd() {
        var live = new StatefulSetBuilder(desired(SPEC))
                .editMetadata()
                .withResourceVersion("9")
                .addToAnnotations("theirs", "x")
                .endMetadata()
                .editSpec()
                .withRevisionHistoryLimit(10)
                .editTemplate()
                .editSpec()
                .withSchedulerName("default-scheduler")
                .editFirstContainer()
                .withImagePullPolicy("IfNotPresent")
                .withNewResources()
                .withLimits(Map.of("cpu", new Quantity("1")))
                .endResources()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();

        assertThat(Applied.isIntact(desired(SPEC), live)).isTrue();
    }

    @Test
    void detectsChangedFields() {
        var live = new StatefulSetBuilder(desired(SPEC))
                .editSpec()
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withImage("other")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();

        assertThat(Applied.isIntact(desired(SPEC), live)).isFalse();
    }

    @Test
    void detectsRemovedFields() {
        var live = new StatefulSetBuilder(desired(SPEC))
                .editMetadata()
                .removeFromLabels(ServerNames.COMPONENT)
                .endMetadata()
                .build();

        assertThat(Applied.isIntact(desired(SPEC), live)).isFalse();
    }

    @Test
    void detectsFieldsThatAreNoLongerDesired() {
        var before = desired("{image: i, replicas: 2, annotations: {a: b, c: d}}");

        assertThat(Applied.isIntact(desired("{image: i, replicas: 2, annotations: {a: b}}"), before))
                .isFalse();
    }

    @Test
    void digestIsStable() {
        assertThat(desired(SPEC)).isEqualTo(desired(SPEC));
    }
}
