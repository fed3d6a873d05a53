/** How a process ends. {@link io.portcullis.process.signals.Signals} receives signals, {@link io.portcullis.process.signals.Drain} orders the steps. */
@NullMarked
package io.portcullis.process.signals;

import org.jspecify.annotations.NullMarked;
