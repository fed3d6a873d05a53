/**
 * How a policy is named and how its host may be talked to: {@link io.portcullis.artifacts.source.PolicyUri}, {@link
 * io.portcullis.artifacts.source.ImageReference} and {@link io.portcullis.artifacts.source.Sources}. Pure; no network.
 */
@NullMarked
package io.portcullis.artifacts.source;

import org.jspecify.annotations.NullMarked;
