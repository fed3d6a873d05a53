/** Decides which certificates to create or replace, and creates them, without Kubernetes. */
@NullMarked
package io.portcullis.controller.certificates.plan;

import org.jspecify.annotations.NullMarked;
