/**
 * Declarative tests of policies.
 *
 * <p>{@link io.portcullis.kwctl.suite.TestSuite} is the file, {@link io.portcullis.kwctl.suite.SuiteRunner} runs it, and
 * {@link io.portcullis.kwctl.suite.ReportFormat} renders the results.
 */
@NullMarked
package io.portcullis.kwctl.suite;

import org.jspecify.annotations.NullMarked;
