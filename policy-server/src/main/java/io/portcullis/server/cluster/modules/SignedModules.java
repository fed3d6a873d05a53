package io.portcullis.server.cluster.modules;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;

/**
 * Decides whether the digests in the status of a revision may be fetched. A digest needs the leader's signed statement, or
 * the controller must have pinned it. Revisions of older releases have no statement. Then the module reference must resolve
 * to the digest now, with signatures verified as configured. Thread-safe.
 */
public record SignedModules(RevisionStatements statements, RevisionModules modules) {

    /** @throws ArtifactException when a digest may not be fetched; nothing has been fetched then */
    public void require(ObservedRevision revision) {
        var problem = statements.problem(revision);
        if (problem.isEmpty()) {
            return;
        }
        for (var artifact : revision.status().artifacts()) {
            if (!revision.isPinned(artifact)
                    && !modules.resolve(artifact.module()).equals(artifact.digest())) {
                throw new ArtifactException(
                        Reason.SIGNATURE,
                        "%s, and %s does not resolve to %s; the leader signs it again within a minute, or a new generation of the policy replaces it"
                                .formatted(problem.get(), artifact.module(), artifact.digest()));
            }
        }
    }
}
