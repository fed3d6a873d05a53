package io.portcullis.evaluator.host.session;

import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.wasm.Deadline;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Answers requests from a recorded session, strictly in its order: each request must equal the recorded one.
 * Thread-safe.
 */
public final class ReplayingBackend implements HostBackend {

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Exchange> remaining;

    public ReplayingBackend(RecordedSession session) {
        this.remaining = new ArrayDeque<>(session.exchanges());
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        lock.lock();
        try {
            var next = remaining.peek();
            if (next == null) {
                throw new HostCallException(
                        "Replay error: the list of recorded responses is empty, cannot answer " + request);
            }
            if (!next.request().equals(request)) {
                throw new HostCallException(
                        "Replay error: unexpected request, expected " + next.request() + " but got " + request);
            }
            remaining.remove();
            return next.result().orThrow();
        } finally {
            lock.unlock();
        }
    }

    /** The recorded exchanges that were not requested. */
    public List<Exchange> leftovers() {
        lock.lock();
        try {
            return List.copyOf(remaining);
        } finally {
            lock.unlock();
        }
    }
}
