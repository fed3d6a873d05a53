package io.portcullis.testkit.tools;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The test needs these tools. What is missing is built before it; where that is not possible the test is skipped and says
 * why, except under {@code CI=true}, where it fails.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ToolsCondition.class)
public @interface NeedsTools {

    /** Names as in {@code tools.sh list}. */
    String[] value();
}
