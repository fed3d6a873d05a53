/**
 * Prepares modules in child processes with limits, so that no module can crash or slow down the server.
 * {@link io.portcullis.server.preparation.IsolatedPreparation} is the entry point.
 * {@link io.portcullis.server.preparation.child.PreparationChild} is the main class of the child.
 */
@NullMarked
package io.portcullis.server.preparation;

import org.jspecify.annotations.NullMarked;
