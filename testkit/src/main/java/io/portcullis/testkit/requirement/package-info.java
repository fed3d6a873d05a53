/** What happens to a test whose surroundings are not there: {@link io.portcullis.testkit.requirement.Requirement}. */
@NullMarked
package io.portcullis.testkit.requirement;

import org.jspecify.annotations.NullMarked;
