/**
 * Prepares modules in disposable child processes with limits, so that no module can end or slow down the server. {@link
 * io.portcullis.server.preparation.IsolatedPreparation} is the entry; {@link
 * io.portcullis.server.preparation.PreparationChild} is what runs in the child.
 */
@NullMarked
package io.portcullis.server.preparation;

import org.jspecify.annotations.NullMarked;
