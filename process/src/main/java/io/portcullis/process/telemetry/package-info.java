/** Pushes metrics and traces by OTLP. {@link io.portcullis.process.telemetry.Telemetry} is the entry point; no OpenTelemetry class is loaded before its first use. */
@NullMarked
package io.portcullis.process.telemetry;

import org.jspecify.annotations.NullMarked;
