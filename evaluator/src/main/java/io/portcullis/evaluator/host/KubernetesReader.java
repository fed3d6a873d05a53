package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.wasm.Deadline;
import java.util.List;
import java.util.Optional;

/** Reads from the Kubernetes API with the identity of the program. All answers are JSON. */
public interface KubernetesReader {

    /** A {@code List} object from a watched cache; the same array as long as no object has changed. */
    byte[] list(ListQuery query, Deadline deadline);

    /** The object as the API server sends it, fields masked. */
    byte[] get(KubernetesGetResource query, Deadline deadline);

    /** The status of a SubjectAccessReview. */
    byte[] canI(AccessReview review, Deadline deadline);

    /** The plural, lower-case name of a kind. */
    String pluralName(String apiVersion, String kind, Deadline deadline);

    /** Which objects; one watched cache per distinct query. */
    record ListQuery(
            String apiVersion,
            String kind,
            Optional<String> namespace,
            Optional<String> labelSelector,
            Optional<String> fieldSelector,
            List<String> fieldMasks) {

        public ListQuery {
            fieldMasks = List.copyOf(fieldMasks);
        }
    }

    /** For programs without a cluster. */
    static KubernetesReader absent() {
        return new KubernetesReader() {
            @Override
            public byte[] list(ListQuery query, Deadline deadline) {
                throw notConnected();
            }

            @Override
            public byte[] get(KubernetesGetResource query, Deadline deadline) {
                throw notConnected();
            }

            @Override
            public byte[] canI(AccessReview review, Deadline deadline) {
                throw notConnected();
            }

            @Override
            public String pluralName(String apiVersion, String kind, Deadline deadline) {
                throw notConnected();
            }

            private static HostCallException notConnected() {
                return new HostCallException("kube::Client was not initialized properly");
            }
        };
    }
}
