/** A real Kubernetes, a real registry and load for tests, demo and bench. */
@NullMarked
package io.portcullis.testkit;

import org.jspecify.annotations.NullMarked;
