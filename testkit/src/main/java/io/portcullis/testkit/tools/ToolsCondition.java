package io.portcullis.testkit.tools;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import io.portcullis.testkit.requirement.Requirement;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Implements {@link NeedsTools}. */
final class ToolsCondition implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return findAnnotation(context.getElement(), NeedsTools.class)
                .map(needs -> Requirement.fromEnvironment()
                        .check(() -> Tools.current().ensure(List.of(needs.value()))))
                .orElseGet(() -> ConditionEvaluationResult.enabled("needs no tools"));
    }
}
