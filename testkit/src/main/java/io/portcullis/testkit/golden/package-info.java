/** Text files that a reviewer can read and diff, compared with what a program makes. */
@NullMarked
package io.portcullis.testkit.golden;

import org.jspecify.annotations.NullMarked;
