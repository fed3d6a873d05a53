package io.portcullis.testkit.cluster;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.requirement.Requirement;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Carries out {@link RealCluster}. Keeps nothing itself: the cluster is in the root store, a class's part in its own. */
final class RealClusterExtension implements ExecutionCondition, BeforeAllCallback, AfterAllCallback, ParameterResolver {

    private static final Namespace STORE = Namespace.create(RealClusterExtension.class);

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestMethod().isPresent()) {
            return ConditionEvaluationResult.enabled("decided for the class");
        }
        var wanted = annotation(context);
        if (!context.getTags().contains(wanted.level().tag())) {
            throw new IllegalStateException(context.getRequiredTestClass().getName() + " needs @Tag(\""
                    + wanted.level().tag() + "\"), or it would run in the wrong phase");
        }
        return Requirement.fromEnvironment().check(() -> local().prepare(wanted.level()));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        var wanted = annotation(context);
        var local = shared(context).enter(wanted.level(), wanted.nodes());
        var name = context.getRequiredTestClass().getSimpleName();
        context.getStore(STORE).put(TestCluster.class, TestCluster.open(local, wanted.level(), name));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        var cluster = context.getStore(STORE).remove(TestCluster.class, TestCluster.class);
        if (cluster != null) {
            cluster.close();
        }
        shared(context).leave();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestCluster.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var cluster = context.getStore(STORE).get(TestCluster.class, TestCluster.class);
        if (cluster == null) {
            throw new IllegalStateException("there is no cluster outside a class with @RealCluster");
        }
        return cluster;
    }

    private static RealCluster annotation(ExtensionContext context) {
        return findAnnotation(context.getRequiredTestClass(), RealCluster.class)
                .orElseThrow(() -> new IllegalStateException("this extension is used through @RealCluster"));
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
        return RunDirectory.forTests(Checkout.current(), System.getenv());
    }
}
