/** Host capabilities that a policy may call, and the grammar of {@link io.portcullis.api.capability.CapabilityPattern}. */
@NullMarked
package io.portcullis.api.capability;

import org.jspecify.annotations.NullMarked;
