package io.portcullis.testkit.cluster;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class against a real Kubernetes cluster. The constructor and the methods of the class can have a {@link
 * TestCluster} parameter. The class must also have the {@link Level#tag() tag} of its level, by which {@code
 * ./portcullis test} orders tests.
 *
 * <p>One cluster serves a whole test run. Each class has its own namespace in it. If the machine cannot run a cluster
 * (no root, no Go to build it), the class is skipped with the reason. With {@code CI=true} it fails instead.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RealClusterExtension.class)
public @interface RealCluster {

    Level level() default Level.API;

    /**
     * The number of nodes, 1 to 3; only used at {@link Level#NODES}. Classes with the same number share one cluster. A
     * class that needs more nodes replaces the cluster first.
     */
    int nodes() default 2;
}
