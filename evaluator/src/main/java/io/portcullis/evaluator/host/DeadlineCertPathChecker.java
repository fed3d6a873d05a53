package io.portcullis.evaluator.host;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import java.security.cert.Certificate;
import java.security.cert.PKIXCertPathChecker;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stops the JDK's search for a certificate path at a deadline. With many certificates of one name, the search tries
 * every order of them.
 */
public final class DeadlineCertPathChecker extends PKIXCertPathChecker {

    private final Deadline deadline;

    public DeadlineCertPathChecker(Deadline deadline) {
        this.deadline = deadline;
    }

    @Override
    public void init(boolean forward) {
        checkDeadline();
    }

    @Override
    public boolean isForwardCheckingSupported() {
        return true;
    }

    @Override
    public @Nullable Set<String> getSupportedExtensions() {
        return null;
    }

    @Override
    public void check(Certificate certificate, Collection<String> unresolvedCriticalExtensions) {
        checkDeadline();
    }

    private void checkDeadline() {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }
}
