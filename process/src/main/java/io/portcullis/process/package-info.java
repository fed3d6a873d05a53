/** What every program needs: flags and environment, logging, telemetry, TLS with hot reload, probes, signals, drain. */
@NullMarked
package io.portcullis.process;

import org.jspecify.annotations.NullMarked;
