/**
 * Tests of policies written as data: {@link io.portcullis.kwctl.suite.TestSuite} is the file, {@link
 * io.portcullis.kwctl.suite.SuiteRunner} runs it, {@link io.portcullis.kwctl.suite.ReportFormat} tells how it went.
 */
@NullMarked
package io.portcullis.kwctl.suite;

import org.jspecify.annotations.NullMarked;
