/** The end-to-end suite of {@code e2e/}: its runner without a cluster, and all of it on a cluster with nodes. */
@NullMarked
package io.portcullis.e2e;

import org.jspecify.annotations.NullMarked;
