/** New policies: the files that {@code kwctl new} writes, and the commands that {@code kwctl build} runs. */
@NullMarked
package io.portcullis.kwctl.template;

import org.jspecify.annotations.NullMarked;
