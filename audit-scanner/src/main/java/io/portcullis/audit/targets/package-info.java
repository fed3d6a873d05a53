/** Which types of objects a policy's rules mean, by what the API server serves: {@link io.portcullis.audit.targets.Targets}. */
@NullMarked
package io.portcullis.audit.targets;

import org.jspecify.annotations.NullMarked;
