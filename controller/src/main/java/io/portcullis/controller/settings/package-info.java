/**
 * The controller's settings from its command line and environment.
 * {@link io.portcullis.controller.settings.ControllerSettings} is the entry point.
 */
@NullMarked
package io.portcullis.controller.settings;

import org.jspecify.annotations.NullMarked;
