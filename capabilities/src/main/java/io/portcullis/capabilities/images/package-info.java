/** What policies may ask about images and their signatures, answered by the module that pulls policies. */
@NullMarked
package io.portcullis.capabilities.images;

import org.jspecify.annotations.NullMarked;
