/**
 * From an entry of {@code policies.yml} to a policy that can be served. {@link
 * io.portcullis.evaluator.loading.WasmPolicyLoader} is the entry; modules are shared by digest and released with the
 * last policy that uses them.
 */
@NullMarked
package io.portcullis.evaluator.loading;

import org.jspecify.annotations.NullMarked;
