/**
 * Real tools for tests: registry, cosign, opa, helm, the parts of Kubernetes. {@link io.portcullis.testkit.tools.Tools}
 * gives the path of one; {@link io.portcullis.testkit.tools.NeedsTools} on a test class skips it where one cannot be had.
 */
@NullMarked
package io.portcullis.testkit.tools;

import org.jspecify.annotations.NullMarked;
