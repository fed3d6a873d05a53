/**
 * Records what policies ask of their host, and plays it back. {@link io.portcullis.evaluator.host.session.RecordedSession} is
 * the file; {@link io.portcullis.evaluator.host.session.RecordingBackend} and {@link
 * io.portcullis.evaluator.host.session.ReplayingBackend} stand where the world would.
 */
@NullMarked
package io.portcullis.evaluator.host.session;

import org.jspecify.annotations.NullMarked;
