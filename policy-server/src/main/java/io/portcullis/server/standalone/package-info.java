/**
 * Serves the policies of a {@code policies.yml} and follows its changes. {@link
 * io.portcullis.server.standalone.StandalonePolicies} is the entry.
 */
@NullMarked
package io.portcullis.server.standalone;

import org.jspecify.annotations.NullMarked;
