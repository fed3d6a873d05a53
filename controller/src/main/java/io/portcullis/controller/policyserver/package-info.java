/**
 * Turns PolicyServers into running replicas: derives the desired objects (pure), observes the live ones (by watch), and
 * writes the difference.
 */
@NullMarked
package io.portcullis.controller.policyserver;

import org.jspecify.annotations.NullMarked;
