package io.portcullis.testkit.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program in the image of {@link OurImageIT}. It prints its user and whether its directory is read-only. */
final class Greeting {

    private Greeting() {}

    public static void main(String[] arguments) throws IOException {
        var user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        System.out.println("hello from user " + user + ", read-only: " + !Files.isWritable(Path.of("/app")));
    }
}
