/**
 * Serves the policies of a {@code policies.yml} and follows its changes.
 * {@link io.portcullis.server.standalone.StandaloneSource} is the entry point.
 */
@NullMarked
package io.portcullis.server.standalone;

import org.jspecify.annotations.NullMarked;
