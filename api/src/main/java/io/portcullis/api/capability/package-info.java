/** What a policy may ask its host: the grammar of {@link io.portcullis.api.capability.CapabilityPattern}. */
@NullMarked
package io.portcullis.api.capability;

import org.jspecify.annotations.NullMarked;
