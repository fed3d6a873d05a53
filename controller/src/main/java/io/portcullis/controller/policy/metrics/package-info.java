/** Metrics about policies and about the use of policy servers by tenants. */
@NullMarked
package io.portcullis.controller.policy.metrics;

import org.jspecify.annotations.NullMarked;
