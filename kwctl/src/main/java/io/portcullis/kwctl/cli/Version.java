package io.portcullis.kwctl.cli;

/**
 * The version of this program. It is a constant, because reading a resource costs time at every start. A test compares it
 * with the build.
 */
public final class Version {

    public static final String NUMBER = "0.1.0";

    private Version() {}
}
