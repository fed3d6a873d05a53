/** Golden files: expected output as text files that a reviewer can read and compare. */
@NullMarked
package io.portcullis.testkit.golden;

import org.jspecify.annotations.NullMarked;
