/** Host calls about the network. */
@NullMarked
package io.portcullis.capabilities.network;

import org.jspecify.annotations.NullMarked;
