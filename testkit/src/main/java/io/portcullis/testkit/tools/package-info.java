/**
 * Real tools for tests: registry, cosign, opa, helm and the components of Kubernetes. {@link
 * io.portcullis.testkit.tools.Tools} returns the path of a tool. {@link io.portcullis.testkit.tools.NeedsTools} skips a
 * test class if a tool is not available.
 */
@NullMarked
package io.portcullis.testkit.tools;

import org.jspecify.annotations.NullMarked;
