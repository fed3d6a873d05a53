/** Runs the server in the background. {@link io.portcullis.server.daemon.Daemon} is the entry point. */
@NullMarked
package io.portcullis.server.daemon;

import org.jspecify.annotations.NullMarked;
