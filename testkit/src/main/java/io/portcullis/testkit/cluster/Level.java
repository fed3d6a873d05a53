package io.portcullis.testkit.cluster;

/** How much of Kubernetes runs. Each level holds the ones before it; {@link #tag()} is what its tests are selected by. */
public enum Level {
    /** etcd and kube-apiserver: up in seconds. Nothing acts on objects; webhooks are called. */
    API("1", "level1"),
    /** And kube-controller-manager and kube-scheduler. */
    CONTROLLERS("2", "level1"),
    /** And nodes: pods run, Services and DNS work. */
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

    /** The JUnit tag that a test of this level must carry. */
    public String tag() {
        return tag;
    }
}
