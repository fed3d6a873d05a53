/**
 * Opt-in precedence between policies. With two annotations a cluster-wide policy becomes the default for, or overrides, the
 * namespaced policies of the same key. {@link io.portcullis.core.precedence.PrecedenceRules} decides which requests a policy
 * loses. A policy loses a request only when another policy of the key enforces it at that moment.
 */
@NullMarked
package io.portcullis.core.precedence;

import org.jspecify.annotations.NullMarked;
