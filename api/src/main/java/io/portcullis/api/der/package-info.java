/**
 * Reads and writes DER, the encoding of certificates, keys and time stamps, where the JDK has no public reader. The
 * signature checks of {@code artifacts} and the built-ins of {@code evaluator} share it.
 */
@NullMarked
package io.portcullis.api.der;

import org.jspecify.annotations.NullMarked;
