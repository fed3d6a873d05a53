package io.portcullis.testkit.cluster;

/** How much of Kubernetes runs. Each level includes the levels before it. Test runs select tests by {@link #tag()}. */
public enum Level {
    /** etcd and kube-apiserver, ready in seconds. No controller acts on objects, but the API server calls webhooks. */
    API("1", "level1"),
    /** Adds kube-controller-manager and kube-scheduler. */
    CONTROLLERS("2", "level1"),
    /** Adds nodes: pods run, and Services and DNS work. */
    NODES("3", "level3");

    private final String number;
    private final String tag;

    Level(String number, String tag) {
        this.number = number;
        this.tag = tag;
    }

    String number() {
        return number;
    }

    /** Returns the JUnit tag that a test of this level must have. */
    public String tag() {
        return tag;
    }
}
