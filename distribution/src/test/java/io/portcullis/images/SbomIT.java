package io.portcullis.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The bill of materials of a real image says all that is in it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class SbomIT {

    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Pattern LIBRARY = Pattern.compile(".*\\.so(\\.\\d.*)?");
    private static final ObjectMapper JSON = new ObjectMapper();

    private Path rootfs;
    private Path beside;
    private JsonNode document;

    @BeforeAll
    void buildAnImage(@TempDir Path directory) throws IOException {
        assumeThat(Checkout.current().program("audit-scanner"))
                .as("run ./portcullis build first")
                .exists();
        var image = directory.resolve("audit-scanner.tar");
        ShellCommand.of(Checkout.current().imageScript().toString(), "build", "audit-scanner", image.toString())
                .within(LIMIT)
                .run();
        beside = directory.resolve("audit-scanner.cdx.json");
        rootfs = Files.createDirectory(directory.resolve("rootfs"));
        var blobs = Files.createDirectory(directory.resolve("blobs"));
        unpack(image, blobs);
        for (JsonNode layer :
                JSON.readTree(blobs.resolve("manifest.json").toFile()).get(0).get("Layers")) {
            unpack(blobs.resolve(layer.textValue()), rootfs);
        }
        document = JSON.readTree(rootfs.resolve("app/sbom.cdx.json").toFile());
    }

    private static void unpack(Path tar, Path directory) {
        ShellCommand.of("tar", "-xf", tar.toString(), "-C", directory.toString())
                .within(LIMIT)
                .run();
    }

    @Test
    void everyFileOfTheImageThatWeDidNotWriteIsListed() throws IOException {
        var listed = filesInTheDocument();
        var present = new LinkedHashMap<String, String>();
        try (var files = Files.walk(rootfs)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                var name = "/" + rootfs.relativize(file);
                // The runtime is one component, however many files it has.
                if (!name.startsWith("/opt/java/")
                        && (name.endsWith(".jar") || LIBRARY.matcher(name).matches())) {
                    present.put(name, sha256(file));
                }
            }
        }
        assertThat(present).hasSizeGreaterThan(50);
        assertThat(listed).containsAllEntriesOf(present);
        assertThat(listed.keySet().stream().filter(name -> !name.equals("/opt/java/release")))
                .containsExactlyInAnyOrderElementsOf(present.keySet());
    }

    @Test
    void saysWhereThingsComeFrom() {
        var names = StreamSupport.stream(document.get("components").spliterator(), false)
                .map(component -> component.get("purl").textValue())
                .toList();
        assertThat(names)
                .anyMatch(purl ->
                        purl.matches("pkg:maven/com\\.fasterxml\\.jackson\\.core/jackson-databind@\\S+\\?type=jar"))
                .anyMatch(purl -> purl.matches("pkg:maven/io\\.portcullis/audit-scanner@\\S+"))
                .anyMatch(purl -> purl.matches("pkg:github/bytecodealliance/wasmtime@v\\d+\\S+"))
                .anyMatch(purl -> purl.matches("pkg:generic/openjdk@25\\S*"))
                .doesNotHaveDuplicates();
    }

    @Test
    void everyJarHasALicence() {
        var without = StreamSupport.stream(document.get("components").spliterator(), false)
                .filter(component -> component.get("purl").textValue().startsWith("pkg:maven/"))
                .filter(component -> component.path("licenses").isEmpty())
                .map(component -> component.get("purl").textValue());

        assertThat(without).isEmpty();
    }

    @Test
    void liesBesideTheImageToo() throws IOException {
        assertThat(beside).hasSameTextualContentAs(rootfs.resolve("app/sbom.cdx.json"));
        assertThat(document.get("bomFormat").textValue()).isEqualTo("CycloneDX");
        assertThat(document.at("/metadata/component/name").textValue()).isEqualTo("localhost/portcullis/audit-scanner");
    }

    @Test
    void aJarThatMavenDoesNotKnowIsAnError(@TempDir Path directory) throws IOException {
        var layer = Files.createDirectories(directory.resolve("layer/app/lib"));
        Files.writeString(layer.resolve("stray-1.0.jar"), "");
        var dependencies = Files.writeString(directory.resolve("dependencies.txt"), "  group:other:jar:1.0:compile\n");

        var outcome = ShellCommand.of(List.of(
                        Checkout.current()
                                .root()
                                .resolve("testkit/images/sbom.py")
                                .toString(),
                        directory.resolve("out.json").toString(),
                        "localhost/x:dev",
                        "--root",
                        directory.resolve("layer").toString(),
                        "--dependencies",
                        dependencies.toString(),
                        "--wasmtime",
                        "1"))
                .attempt();

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.errors()).contains("/app/lib/stray-1.0.jar");
        assertThat(directory.resolve("out.json")).doesNotExist();
    }

    /** Path → digest, of components that are one file, and of packages with several. */
    private Map<String, String> filesInTheDocument() {
        var files = new LinkedHashMap<String, String>();
        for (JsonNode component : document.get("components")) {
            for (JsonNode property : component.get("properties")) {
                var name = property.get("name").textValue();
                if (name.startsWith("portcullis:sha256:")) {
                    files.put(name.substring(18), property.get("value").textValue());
                } else if (name.equals("portcullis:path") && component.has("hashes")) {
                    files.put(
                            property.get("value").textValue(),
                            component.at("/hashes/0/content").textValue());
                }
            }
        }
        return files;
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
