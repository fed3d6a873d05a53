package io.portcullis.evaluator.host.session;

import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.HostResult;
import io.portcullis.wasm.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Forwards requests and records their results, including failures. Thread-safe. */
public final class RecordingBackend implements HostBackend {

    private final HostBackend origin;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Exchange> exchanges = new ArrayList<>();

    public RecordingBackend(HostBackend origin) {
        this.origin = origin;
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        var result = HostResult.of(() -> origin.answer(request, deadline));
        lock.lock();
        try {
            exchanges.add(new Exchange(request, result));
        } finally {
            lock.unlock();
        }
        return result.orThrow();
    }

    public RecordedSession session() {
        lock.lock();
        try {
            return new RecordedSession(exchanges);
        } finally {
            lock.unlock();
        }
    }
}
