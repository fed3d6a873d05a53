/** What a controller is told on its command line and in its environment. {@link io.portcullis.controller.settings.ControllerSettings} is the entry. */
@NullMarked
package io.portcullis.controller.settings;

import org.jspecify.annotations.NullMarked;
