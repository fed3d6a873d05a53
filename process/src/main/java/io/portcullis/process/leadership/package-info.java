/** Which of several processes leads: {@link io.portcullis.process.leadership.Leadership} holds the lease or waits for it. */
@NullMarked
package io.portcullis.process.leadership;

import org.jspecify.annotations.NullMarked;
