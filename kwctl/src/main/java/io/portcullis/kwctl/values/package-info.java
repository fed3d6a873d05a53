/** Converts values files of Kubewarden's charts into values of ours. Pure: the command reads and writes the files. */
@NullMarked
package io.portcullis.kwctl.values;

import org.jspecify.annotations.NullMarked;
