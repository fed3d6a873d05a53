/** What the kinds of resources that we define have in common. */
@NullMarked
package io.portcullis.api.resource;

import org.jspecify.annotations.NullMarked;
