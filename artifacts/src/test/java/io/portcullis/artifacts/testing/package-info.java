/** Shared test fixtures: a real registry, certificate authorities, modules. */
@NullMarked
package io.portcullis.artifacts.testing;

import org.jspecify.annotations.NullMarked;
