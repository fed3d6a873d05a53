/**
 * Precedence between policies that ask for it: a cluster-wide policy says with two annotations that it is the default for, or
 * overrides, the namespaces' policies of the same key. {@link io.portcullis.api.precedence.PrecedenceRules} decides who loses
 * what; nobody loses anything that no other policy of the key judges at that moment.
 */
@NullMarked
package io.portcullis.api.precedence;

import org.jspecify.annotations.NullMarked;
