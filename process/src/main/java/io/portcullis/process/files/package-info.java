/** Notices that files changed. {@link io.portcullis.process.files.FileWatch} is the entry. */
@NullMarked
package io.portcullis.process.files;

import org.jspecify.annotations.NullMarked;
