/**
 * Resolves the rules of policies to the resource types that the API server serves: {@link
 * io.portcullis.audit.targets.Targets}.
 */
@NullMarked
package io.portcullis.audit.targets;

import org.jspecify.annotations.NullMarked;
