/** The controller's view of the cluster, kept up to date by watches. */
@NullMarked
package io.portcullis.controller.cluster;

import org.jspecify.annotations.NullMarked;
