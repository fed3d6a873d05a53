package io.portcullis.controller.charts;

import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.program.ShellCommand.Outcome;
import io.portcullis.testkit.tools.Tools;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One of our charts, rendered by the real helm. */
record Chart(String name) {

    Path path() {
        return Checkout.current().root().resolve("charts").resolve(name);
    }

    Outcome lint() {
        return helm(List.of("lint", "--strict", path().toString()));
    }

    /** Returns the rendered manifests with these values set. */
    String render(String namespace, String... values) {
        var outcome = attempt(namespace, values);
        if (!outcome.succeeded()) {
            throw new AssertionError(outcome.errors());
        }
        return outcome.output() + "\n";
    }

    Outcome attempt(String namespace, String... values) {
        var words = new ArrayList<>(List.of("template", "portcullis", path().toString(), "--namespace", namespace));
        for (var value : values) {
            // A plain --set cannot express an empty list.
            words.add(value.endsWith("=[]") ? "--set-json" : "--set");
            words.add(value);
        }
        return helm(words);
    }

    /** Renders like {@link #attempt}, with a values file. */
    Outcome attemptWith(Path file, String namespace) {
        return helm(
                List.of("template", "portcullis", path().toString(), "--namespace", namespace, "-f", file.toString()));
    }

    private static Outcome helm(List<String> words) {
        var all = new ArrayList<>(List.of(Tools.current().path("helm").toString()));
        all.addAll(words);
        return ShellCommand.of(all).attempt();
    }
}
