/** Hostile policy authors, clients and tenants against real policy servers with the memory limit of a small pod. */
@NullMarked
package io.portcullis.hostile;

import org.jspecify.annotations.NullMarked;
