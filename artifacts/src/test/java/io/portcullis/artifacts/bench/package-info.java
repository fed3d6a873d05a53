/** Manual benchmarks; the build does not run them. */
@NullMarked
package io.portcullis.artifacts.bench;

import org.jspecify.annotations.NullMarked;
