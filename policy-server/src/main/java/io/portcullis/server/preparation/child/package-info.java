/**
 * The child process that prepares one module: its command line, its limits, the messages between it and the server, and the
 * ways in which it can fail.
 */
@NullMarked
package io.portcullis.server.preparation.child;

import org.jspecify.annotations.NullMarked;
