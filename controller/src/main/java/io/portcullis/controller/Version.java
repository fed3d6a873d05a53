package io.portcullis.controller;

import java.util.List;
import java.util.Optional;

/** The output of {@code --version}. */
final class Version {

    private Version() {}

    /** From the jar's manifest; absent when run from classes. */
    static String number() {
        return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    static List<String> lines() {
        return List.of(
                "controller (Portcullis) " + number(),
                "compatible with Kubewarden controller 1.36",
                "Java " + Runtime.version());
    }
}
