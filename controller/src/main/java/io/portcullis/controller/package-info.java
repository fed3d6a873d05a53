/**
 * The controller: derives revisions from policies, webhooks from revisions and status from facts; manages PolicyServer
 * workloads and certificates.
 */
@NullMarked
package io.portcullis.controller;

import org.jspecify.annotations.NullMarked;
