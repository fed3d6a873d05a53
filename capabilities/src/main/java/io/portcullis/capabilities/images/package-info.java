/** Host calls about images and their signatures. The module that pulls policies implements them. */
@NullMarked
package io.portcullis.capabilities.images;

import org.jspecify.annotations.NullMarked;
