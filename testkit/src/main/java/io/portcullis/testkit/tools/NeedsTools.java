package io.portcullis.testkit.tools;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Declares the tools that a test needs. Missing tools are built before the test. If a build is not possible, the test
 * is skipped with the reason. With {@code CI=true} it fails instead.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ToolsCondition.class)
public @interface NeedsTools {

    /** The names of the tools, as in {@code tools.sh list}. */
    String[] value();
}
