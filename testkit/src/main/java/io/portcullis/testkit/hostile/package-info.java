/** Input that hostile tenants send. */
@NullMarked
package io.portcullis.testkit.hostile;

import org.jspecify.annotations.NullMarked;
