/**
 * A real OCI registry on loopback: {@link io.portcullis.testkit.registry.LocalRegistry}, without authentication or with
 * the usual authentication methods.
 */
@NullMarked
package io.portcullis.testkit.registry;

import org.jspecify.annotations.NullMarked;
