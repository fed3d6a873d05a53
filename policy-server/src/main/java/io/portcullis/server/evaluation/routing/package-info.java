/**
 * From the address of a request to the policy that answers it. {@link
 * io.portcullis.server.evaluation.routing.EvaluationEnvironment} holds the current {@link
 * io.portcullis.server.evaluation.routing.RoutingTable}.
 */
@NullMarked
package io.portcullis.server.evaluation.routing;

import org.jspecify.annotations.NullMarked;
