package io.portcullis.kwctl.manifest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.kwctl.yaml.YamlText;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Builds the artifacthub.io package description of a policy from its metadata. */
public final class ArtifactHubPackage {

    private static final String PREFIX = "io.kubewarden.policy.";
    private static final Pattern SEMVER = Pattern.compile("\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?");
    private static final Pattern ADDRESS =
            Pattern.compile("\\s*(?:\"?([^\"<>]*?)\"?\\s*<([^<>\\s]+@[^<>\\s]+)>|([^<>\\s]+@[^<>\\s]+))\\s*");

    private final PolicyMetadata metadata;
    private final Map<String, String> annotations;
    private final ObjectNode document = JsonNodeFactory.instance.objectNode();

    private ArtifactHubPackage(PolicyMetadata metadata) {
        this.metadata = metadata;
        this.annotations = metadata.annotations();
    }

    public static ObjectNode of(PolicyMetadata metadata, Optional<String> questions, Instant now) {
        return new ArtifactHubPackage(metadata).build(questions, now);
    }

    private ObjectNode build(Optional<String> questions, Instant now) {
        if (annotations.isEmpty()) {
            throw new CommandException("no annotations in the policy's metadata");
        }
        var version = required(PREFIX + "version");
        if (!SEMVER.matcher(version).matches()) {
            throw new CommandException("policy version \"" + version + "\" is not a semantic version");
        }
        var image = required(PREFIX + "ociUrl") + ":v" + version;
        document.put("version", version);
        document.put("name", required(PREFIX + "title"));
        document.put("displayName", required("io.artifacthub.displayName"));
        document.put("createdAt", now.truncatedTo(ChronoUnit.SECONDS).toString());
        document.put("description", required(PREFIX + "description"));
        optional(PREFIX + "license").ifPresent(license -> document.put("license", license));
        optional(PREFIX + "url").ifPresent(url -> document.put("homeURL", url(url).toString()));
        document.putArray("containersImages").addObject().put("name", "policy").put("image", image);
        keywords();
        links(version);
        document.put("install", install(image));
        maintainers();
        document.putObject("provider").put("name", "kubewarden");
        document.putArray("recommendations")
                .addObject()
                .put("url", "https://artifacthub.io/packages/helm/kubewarden/kubewarden-controller");
        hubAnnotations(questions);
        return document;
    }

    private String required(String key) {
        return optional(key)
                .orElseThrow(
                        () -> new CommandException("policy's metadata must specify \"" + key + "\" in annotations"));
    }

    private Optional<String> optional(String key) {
        return Optional.ofNullable(annotations.get(key)).map(String::strip);
    }

    private static URI url(String text) {
        try {
            var uri = new URI(text);
            if (uri.isAbsolute()) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new CommandException("\"" + text + "\" is not a valid URL", e);
        }
        throw new CommandException("\"" + text + "\" is not a valid URL");
    }

    private void keywords() {
        optional("io.artifacthub.keywords").ifPresent(list -> {
            var keywords = document.putArray("keywords");
            for (var keyword : list.split(",", -1)) {
                if (keyword.isBlank()) {
                    throw new CommandException("keywords in \"io.artifacthub.keywords\" must not be empty: " + list);
                }
                keywords.add(keyword.strip());
            }
        });
    }

    private void links(String version) {
        optional(PREFIX + "source").ifPresent(source -> {
            var links = document.putArray("links");
            if ("github.com".equals(url(source).getHost())) {
                var tag = optional("com.github.release.tag")
                        .map(name -> URLEncoder.encode(name, StandardCharsets.UTF_8))
                        .orElse("v" + version);
                link(links, "policy", source + "/releases/download/" + tag + "/policy.wasm");
            }
            link(links, "source", source);
        });
    }

    private static void link(ArrayNode links, String name, String url) {
        links.addObject().put("name", name).put("url", url);
    }

    private static String install(String image) {
        return """
                The policy can be obtained using [`kwctl`](https://docs.kubewarden.io/reference/kwctl-cli):
                ```console
                kwctl pull %1$s
                ```
                Then, generate the policy manifest and tune it to your need. For example:
                ```console
                kwctl scaffold manifest -t ClusterAdmissionPolicy registry://%1$s
                ```
                """.formatted(image);
    }

    private void maintainers() {
        optional(PREFIX + "author").ifPresent(authors -> {
            var maintainers = document.putArray("maintainers");
            for (var author : authors.split(",", -1)) {
                var address = ADDRESS.matcher(author);
                if (!address.matches()) {
                    throw new CommandException("\"" + author.strip() + "\" in \"" + PREFIX
                            + "author\" is not an address: write \"Name <name@example.org>\"");
                }
                var bare = Optional.ofNullable(address.group(3));
                maintainers
                        .addObject()
                        .put("name", bare.orElseGet(() -> address.group(1).strip()))
                        .put("email", bare.orElseGet(() -> address.group(2)));
            }
        });
    }

    private void hubAnnotations(Optional<String> questions) {
        var hub = document.putObject("annotations");
        hub.put("kubewarden/mutation", String.valueOf(metadata.mutating()));
        hub.put("kubewarden/rules", YamlText.of(MetadataDocument.rules(metadata)));
        if (!metadata.contextAwareResources().isEmpty()) {
            hub.put("kubewarden/contextAwareResources", YamlText.of(MetadataDocument.contextAwareResources(metadata)));
        }
        questions.ifPresent(text -> hub.put("kubewarden/questions-ui", text));
        optional("io.kubewarden.hidden-ui").ifPresent(value -> hub.put("kubewarden/hidden-ui", value));
        optional("io.artifacthub.resources").ifPresent(value -> hub.put("kubewarden/resources", value));
    }
}
