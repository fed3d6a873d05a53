/**
 * Modules of revisions by digest, read through the signed cache. {@link
 * io.portcullis.server.cluster.modules.RevisionModules} is the entry point.
 */
@NullMarked
package io.portcullis.server.cluster.modules;

import org.jspecify.annotations.NullMarked;
