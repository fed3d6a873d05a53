/**
 * Records the host requests of policies and replays them. {@link io.portcullis.evaluator.host.session.RecordedSession}
 * represents the file. {@link io.portcullis.evaluator.host.session.RecordingBackend} and {@link
 * io.portcullis.evaluator.host.session.ReplayingBackend} replace the live backend.
 */
@NullMarked
package io.portcullis.evaluator.host.session;

import org.jspecify.annotations.NullMarked;
