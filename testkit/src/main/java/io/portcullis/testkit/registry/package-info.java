/**
 * A real OCI registry on loopback: {@link io.portcullis.testkit.registry.LocalRegistry}, open or guarded in the ways that
 * registries are guarded in the world.
 */
@NullMarked
package io.portcullis.testkit.registry;

import org.jspecify.annotations.NullMarked;
