/**
 * Judges manifests before they reach a cluster: {@link io.portcullis.kwctl.scan.ObjectFiles} reads them, {@link
 * io.portcullis.kwctl.scan.ManifestScan} asks the policies that a cluster would ask, {@link io.portcullis.kwctl.scan.ScanReport} tells what
 * would happen.
 */
@NullMarked
package io.portcullis.kwctl.scan;

import org.jspecify.annotations.NullMarked;
