package io.portcullis.evaluator.host;

import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.wasm.Deadline;
import java.util.List;
import java.util.Optional;

/** Reads from the Kubernetes API with the identity of this program. All answers are JSON. */
public interface KubernetesReader {

    /** Returns a {@code List} object from a watch cache; the same array as long as no object has changed. */
    byte[] list(ListQuery query, Deadline deadline);

    /** Returns the object as the API server sends it, with field masks applied. */
    byte[] get(KubernetesGetResource query, Deadline deadline);

    /** Returns the status of a SubjectAccessReview. */
    byte[] canI(AccessReview review, Deadline deadline);

    /** Returns the plural, lower-case name of a kind. */
    String pluralName(String apiVersion, String kind, Deadline deadline);

    /** Selects objects; each distinct query has its own watch cache. */
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

    /** Returns a reader for programs without a cluster; every call fails. */
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
