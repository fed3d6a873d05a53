package io.portcullis.kwctl.cli;

/** The version of this program. A constant, because reading it from a resource costs time at every start; a test compares it. */
public final class Version {

    public static final String NUMBER = "0.1.0";

    private Version() {}
}
