/** Sample resources that tests of several modules read. */
@NullMarked
package io.portcullis.testkit.sample;

import org.jspecify.annotations.NullMarked;
