/** A PolicyServer's status and the Events about its changes. */
@NullMarked
package io.portcullis.controller.policyserver.status;

import org.jspecify.annotations.NullMarked;
