package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.output.OutputFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The resource types that a cluster serves, cached on disk, because discovery takes time and needs a cluster. */
final class ResourceTypeTable {

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::admission_request");

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);

    private final CommandSession session;
    private final Path file;

    ResourceTypeTable(CommandSession session) {
        this.session = session;
        this.file = session.directories().kwctlCache().resolve("resource_catalog.json");
    }

    /** Returns the cached resource types; a missing node when there is no cache. */
    JsonNode cached() {
        try {
            return Files.isRegularFile(file) ? new JsonMapper().readTree(file.toFile()) : MissingNode.getInstance();
        } catch (IOException e) {
            log.atWarn().addKeyValue("file", file).log("the catalogue of API resources cannot be read");
            return MissingNode.getInstance();
        }
    }

    /** Reads the resource types from the cluster and caches them; empty without a cluster. */
    Optional<JsonNode> discover() {
        try (var cluster = ClusterConnection.find(session.environment(), session.clock())) {
            if (!cluster.isConfigured()) {
                return Optional.empty();
            }
            var catalogue = cluster.catalogue(CONNECT_LIMIT);
            var directory = session.directories().kwctlCache();
            Files.createDirectories(directory);
            AtomicFile.at(file, directory)
                    .write(OutputFormat.prettyJson(catalogue).getBytes(StandardCharsets.UTF_8));
            return Optional.of(catalogue);
        } catch (HostCallException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("the cluster cannot be asked for its API resources");
            return Optional.empty();
        } catch (IOException e) {
            throw new CommandException("cannot write " + file, e);
        }
    }
}
