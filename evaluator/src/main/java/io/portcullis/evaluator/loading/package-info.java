/**
 * Loads policies from entries of {@code policies.yml}. {@link io.portcullis.evaluator.loading.WasmPolicyLoader} is the
 * entry point. Modules are shared by digest and released with the last policy that uses them.
 */
@NullMarked
package io.portcullis.evaluator.loading;

import org.jspecify.annotations.NullMarked;
