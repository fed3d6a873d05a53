/**
 * Credentials for registries, from Docker configuration and credential helpers, and the rules that decide which host may
 * receive them.
 */
@NullMarked
package io.portcullis.artifacts.oci.credentials;

import org.jspecify.annotations.NullMarked;
