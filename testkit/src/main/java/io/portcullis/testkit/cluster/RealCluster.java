package io.portcullis.testkit.cluster;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The test class runs against a real Kubernetes and gets a {@link TestCluster} as a parameter of its constructor or methods.
 * It also carries the {@link Level#tag() tag} of its level, by which {@code ./portcullis test} puts tests in order.
 *
 * <p>One cluster serves a whole test run; each class has a namespace of its own in it. Where there can be no cluster (no
 * root, no Go to build it) the class is skipped and says why; under {@code CI=true} it fails.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RealClusterExtension.class)
public @interface RealCluster {

    Level level() default Level.API;

    /**
     * How many nodes, 1 to 3; counts at {@link Level#NODES} only. Classes that agree on it share one cluster; one that wants
     * more has it replaced first.
     */
    int nodes() default 2;
}
