/**
 * Evaluates manifests before they reach a cluster.
 *
 * <p>{@link io.portcullis.kwctl.scan.ObjectFiles} reads them, {@link io.portcullis.kwctl.scan.ManifestScan} calls the
 * policies that a cluster would call, and {@link io.portcullis.kwctl.scan.ScanReport} renders the findings.
 */
@NullMarked
package io.portcullis.kwctl.scan;

import org.jspecify.annotations.NullMarked;
