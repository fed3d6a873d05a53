package io.portcullis.testkit.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program in the image of {@link OurImageIT}: says as whom it runs and whether it may write where it lies. */
final class Greeting {

    private Greeting() {}

    public static void main(String[] arguments) throws IOException {
        var user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        System.out.println("hello from user " + user + ", read-only: " + !Files.isWritable(Path.of("/app")));
    }
}
