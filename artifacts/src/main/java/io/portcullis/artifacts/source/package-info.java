/**
 * Names of policies and connection settings of their hosts: {@link io.portcullis.artifacts.source.PolicyUri}, {@link
 * io.portcullis.artifacts.source.ImageReference} and {@link io.portcullis.artifacts.source.Sources}. Pure; no network
 * access.
 */
@NullMarked
package io.portcullis.artifacts.source;

import org.jspecify.annotations.NullMarked;
