package io.portcullis.testkit.cluster;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.requirement.Requirement;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Implements {@link RealCluster}. The extension itself has no state. The cluster is in JUnit's root store, and the
 * {@link TestCluster} of a class is in the store of that class; JUnit closes both. Nested classes use the cluster of
 * their enclosing class.
 */
final class RealClusterExtension implements ExecutionCondition, BeforeAllCallback, ParameterResolver {

    private static final Namespace STORE = Namespace.create(RealClusterExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return findAnnotation(context.getElement(), RealCluster.class)
                .map(wanted -> check(context, wanted.level()))
                .orElseGet(() -> ConditionEvaluationResult.enabled("the enclosing class decides"));
    }

    private static ConditionEvaluationResult check(ExtensionContext context, Level level) {
        if (!context.getTags().contains(level.tag())) {
            throw new IllegalStateException(context.getRequiredTestClass().getName() + " needs @Tag(\"" + level.tag()
                    + "\"), or it would run in the wrong phase");
        }
        return Requirement.fromEnvironment().check(() -> local().prepare(level));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        var testClass = context.getRequiredTestClass();
        findAnnotation(testClass, RealCluster.class)
                .ifPresent(wanted -> context.getStore(STORE)
                        .put(ClassUse.class, ClassUse.open(shared(context), wanted, testClass.getSimpleName())));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var use = context.getStore(STORE).get(ClassUse.class, ClassUse.class);
        if (use == null) {
            throw new IllegalStateException("there is no cluster outside a class with @RealCluster");
        }
        return use.cluster();
    }

    private static SharedCluster shared(ExtensionContext context) {
        return context.getRoot()
                .getStore(STORE)
                .computeIfAbsent(SharedCluster.class, _ -> new SharedCluster(local(), run()), SharedCluster.class);
    }

    private static LocalCluster local() {
        return new LocalCluster(Checkout.current(), run().path());
    }

    private static RunDirectory run() {
        return RunDirectory.forTests(Checkout.current(), System.getenv(), Integer.getInteger("portcullis.fork", 1));
    }

    /** The use of the shared cluster by one test class, until JUnit closes it. */
    private record ClassUse(TestCluster cluster, SharedCluster shared) implements AutoCloseable {

        static ClassUse open(SharedCluster shared, RealCluster wanted, String name) {
            var local = shared.enter(wanted.level(), wanted.nodes());
            try {
                return new ClassUse(TestCluster.open(local, wanted.level(), name), shared);
            } catch (RuntimeException e) {
                shared.leave();
                throw e;
            }
        }

        @Override
        public void close() {
            try {
                cluster.close();
            } finally {
                shared.leave();
            }
        }
    }
}
