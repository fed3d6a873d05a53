/** Modules of revisions by digest, through the signed cache: {@link io.portcullis.server.cluster.modules.RevisionModules} is the entry. */
@NullMarked
package io.portcullis.server.cluster.modules;

import org.jspecify.annotations.NullMarked;
