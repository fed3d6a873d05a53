/** A policy's webhook: its state in the cluster, its desired form, its owner, and its writes. */
@NullMarked
package io.portcullis.controller.policy.webhook;

import org.jspecify.annotations.NullMarked;
