/** Reads policies, revisions, webhooks and policy servers from the watch caches, overlaid with our own writes. */
@NullMarked
package io.portcullis.controller.policy.objects;

import org.jspecify.annotations.NullMarked;
