/**
 * Turns PolicyServers into running replicas: what objects there should be (pure), what there is (by watch), and the
 * writes that close the gap.
 */
@NullMarked
package io.portcullis.controller.policyserver;

import org.jspecify.annotations.NullMarked;
