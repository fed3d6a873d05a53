/** Detects changes of files. {@link io.portcullis.process.files.FileWatch} is the entry point. */
@NullMarked
package io.portcullis.process.files;

import org.jspecify.annotations.NullMarked;
