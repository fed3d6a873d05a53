/** What is in our images. */
@NullMarked
package io.portcullis.images;

import org.jspecify.annotations.NullMarked;
