/** Pushes metrics and traces by OTLP. {@link io.portcullis.process.telemetry.Telemetry} is the entry; nothing of OpenTelemetry is loaded before it is used. */
@NullMarked
package io.portcullis.process.telemetry;

import org.jspecify.annotations.NullMarked;
