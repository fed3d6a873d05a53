package io.portcullis.hostile;

/** Admission reviews of pods. */
final class Reviews {

    private Reviews() {}

    static String ordinaryPod() {
        return pod("\"image\":\"i\"", "");
    }

    static String privilegedPod() {
        return pod("\"image\":\"i\",\"securityContext\":{\"privileged\":true}", "");
    }

    /** A pod with a label whose key has the given length. */
    static String withLongKey(int length) {
        return pod("\"image\":\"i\"", ",\"labels\":{\"" + "k".repeat(length) + "\":\"v\"}");
    }

    private static String pod(String container, String metadata) {
        return """
                {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",\
                "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},\
                "operation":"CREATE","namespace":"tenant","name":"p","dryRun":false,\
                "userInfo":{"username":"alice","groups":["g"]},\
                "object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"tenant"%s},\
                "spec":{"containers":[{"name":"c",%s}]}}}}""".formatted(metadata, container);
    }
}
