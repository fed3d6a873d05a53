/**
 * Runs the fuzz targets: {@link io.portcullis.fuzz.FuzzTargets} lists them, {@code FuzzRegressionTest} replays their
 * corpus in the unit tests, {@code FuzzRun} fuzzes for {@code ./portcullis fuzz}. A target is in the package of the parser
 * that it calls, so that it can call package-private methods.
 */
@NullMarked
package io.portcullis.fuzz;

import org.jspecify.annotations.NullMarked;
