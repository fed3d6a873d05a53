package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocument;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads objects from files, from all manifests of a directory, or from standard input. */
public final class ObjectFiles {

    private static final Logger log = LoggerFactory.getLogger("kwctl::scan");

    private static final Pattern MANIFEST = Pattern.compile(".*\\.(ya?ml|json)");

    private final CommandSession session;
    private final List<ScannedObject> objects = new ArrayList<>();

    private ObjectFiles(CommandSession session) {
        this.session = session;
    }

    /** @param places files, directories, or {@code -} */
    public static List<ScannedObject> read(List<String> places, CommandSession session) {
        var reader = new ObjectFiles(session);
        places.forEach(reader::read);
        return List.copyOf(reader.objects);
    }

    /** Fails on a place without objects: a mistyped path must not look like a passed scan. */
    private void read(String place) {
        var before = objects.size();
        addAll(place);
        if (objects.size() == before) {
            throw new CommandException("no Kubernetes object found in "
                    + (place.equals("-") ? "standard input" : place)
                    + (Files.isDirectory(session.path(place))
                            ? ": manifests are named *.yaml, *.yml or *.json"
                            : ": a manifest has apiVersion and kind"));
        }
    }

    private void addAll(String place) {
        if (Files.isDirectory(session.path(place))) {
            below(place).forEach(this::add);
        } else {
            add(place);
        }
    }

    /**
     * Returns the manifests below a directory. Paths start with the directory as the user wrote it, so that reports show
     * usable paths.
     */
    private List<String> below(String place) {
        var root = session.path(place);
        try (var files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .map(root::relativize)
                    .map(Path::toString)
                    .filter(name -> MANIFEST.matcher(name).matches())
                    .sorted()
                    .map(name -> Path.of(place).resolve(name).normalize().toString())
                    .toList();
        } catch (IOException e) {
            throw new CommandException("cannot look for manifests in " + place, e);
        }
    }

    private void add(String file) {
        var text = TextFile.readOrStandardInput(file, session, "cannot read file " + file);
        try {
            YamlDocuments.locateAll(text).forEach(document -> add(file, document));
        } catch (YamlException e) {
            throw new CommandException("cannot parse " + file, e);
        }
    }

    private void add(String file, YamlDocument document) {
        var root = document.root();
        if (root.path("kind").asText().endsWith("List") && root.path("items").isArray()) {
            root.path("items").forEach(item -> add(file, document.line(), item));
        } else {
            add(file, document.line(), root);
        }
    }

    private void add(String file, int line, JsonNode node) {
        if (node instanceof ObjectNode object
                && object.path("apiVersion").isTextual()
                && object.path("kind").isTextual()) {
            objects.add(new ScannedObject(file, line, object));
        } else {
            log.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("line", line)
                    .log("not a Kubernetes object, passed over");
        }
    }
}
