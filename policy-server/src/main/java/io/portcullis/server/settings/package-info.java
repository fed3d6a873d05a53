/**
 * What a server is told on its command line and in its environment. {@link io.portcullis.server.settings.ServerSettings} is
 * the entry.
 */
@NullMarked
package io.portcullis.server.settings;

import org.jspecify.annotations.NullMarked;
