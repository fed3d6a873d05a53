/** Measures how long a replica needs for each step between a new revision and a policy that answers requests. */
@NullMarked
package io.portcullis.server.cluster.metrics;

import org.jspecify.annotations.NullMarked;
