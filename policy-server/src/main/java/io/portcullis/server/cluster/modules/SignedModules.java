package io.portcullis.server.cluster.modules;

import io.portcullis.artifacts.ArtifactException;
import io.portcullis.artifacts.ArtifactException.Reason;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatements;

/**
 * Decides whether the digests in the status of a revision may be fetched: with the leader's signed statement, or when the
 * controller pinned them. Revisions of releases before this rule have no statement; then the module reference must stand for
 * the digest at this moment, its signatures verified as configured. Thread-safe.
 */
public record SignedModules(RevisionStatements statements, RevisionModules modules) {

    /** @throws ArtifactException when a digest may not be fetched; nothing was fetched by it */
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
                        "%s, and %s does not stand for %s; the leader signs it again within a minute, or a new generation of the policy replaces it"
                                .formatted(problem.get(), artifact.module(), artifact.digest()));
            }
        }
    }
}
