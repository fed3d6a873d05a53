/**
 * Parses the command line and the environment of a server. {@link io.portcullis.server.settings.ServerSettings} is the entry
 * point.
 */
@NullMarked
package io.portcullis.server.settings;

import org.jspecify.annotations.NullMarked;
