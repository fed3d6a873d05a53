package io.portcullis.artifacts.source;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A reference to content in an OCI registry, by Docker's rules. The default registry is {@code docker.io}. There, the
 * default namespace is {@code library/}. Without tag and digest, the tag is {@code latest}.
 */
public record ImageReference(String registry, String repository, Optional<String> tag, Optional<String> digest) {

    private static final String DOCKER_HUB = "docker.io";
    private static final Pattern REGISTRY = Pattern.compile(
            "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*"
                    + "|\\[[0-9a-fA-F:]+])(?::[0-9]{1,5})?");
    private static final String COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
    private static final Pattern REPOSITORY = Pattern.compile(COMPONENT + "(?:/" + COMPONENT + ")*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final int MAX_REPOSITORY_LENGTH = 255;

    public ImageReference {
        if (!REGISTRY.matcher(registry).matches()) {
            throw invalid("invalid reference format", registry);
        }
        if (repository.length() > MAX_REPOSITORY_LENGTH) {
            throw invalid("repository name must not be longer than 255 characters", repository);
        }
        if (!REPOSITORY.matcher(repository).matches()) {
            var lower = repository.toLowerCase(Locale.ROOT);
            var onlyCase =
                    !lower.equals(repository) && REPOSITORY.matcher(lower).matches();
            throw invalid(onlyCase ? "repository name must be lowercase" : "invalid reference format", repository);
        }
        tag.ifPresent(ImageReference::checkTag);
        digest.ifPresent(Digest::check);
    }

    /** Parses {@code [registry/]repository[:tag][@digest]}. */
    public static ImageReference parse(String text) {
        var at = text.indexOf('@');
        var digest = at < 0 ? Optional.<String>empty() : Optional.of(text.substring(at + 1));
        var name = at < 0 ? text : text.substring(0, at);
        var colon = name.lastIndexOf(':');
        var hasTag = colon > name.lastIndexOf('/');
        var tag = hasTag ? Optional.of(name.substring(colon + 1)) : Optional.<String>empty();
        var path = hasTag ? name.substring(0, colon) : name;
        if (tag.isEmpty() && digest.isEmpty()) {
            tag = Optional.of("latest");
        }
        var slash = path.indexOf('/');
        var first = slash < 0 ? "" : path.substring(0, slash);
        return isRegistry(first)
                ? of(first, path.substring(slash + 1), tag, digest)
                : of(DOCKER_HUB, path, tag, digest);
    }

    private static ImageReference of(
            String registry, String repository, Optional<String> tag, Optional<String> digest) {
        if (!registry.equals(DOCKER_HUB) && !registry.equals("index.docker.io")) {
            return new ImageReference(registry, repository, tag, digest);
        }
        var full = repository.contains("/") ? repository : "library/" + repository;
        return new ImageReference(DOCKER_HUB, full, tag, digest);
    }

    private static boolean isRegistry(String first) {
        return first.contains(".") || first.contains(":") || first.equals("localhost");
    }

    private static void checkTag(String tag) {
        if (!TAG.matcher(tag).matches()) {
            throw invalid("invalid reference format", tag);
        }
    }

    private static ArtifactException invalid(String why, String part) {
        return new ArtifactException(
                Reason.INVALID_REFERENCE, "Invalid OCI image reference: " + why + " (\"" + part + "\")");
    }

    /** Returns the API host of this registry. It differs from the name for Docker Hub. */
    public String apiHost() {
        return registry.equals(DOCKER_HUB) ? "index.docker.io" : registry;
    }

    /** Returns the identifier for requests: the digest if present, otherwise the tag. */
    public String identifier() {
        return digest.or(() -> tag).orElseThrow();
    }

    /** Returns this reference, pinned to a digest. */
    public ImageReference withDigest(String pinned) {
        return new ImageReference(registry, repository, tag, Optional.of(pinned));
    }

    /** Returns a reference to another tag of the same repository. */
    public ImageReference withTag(String other) {
        return new ImageReference(registry, repository, Optional.of(other), Optional.empty());
    }

    /** Returns {@code registry/repository@digest}, without the tag. */
    public String immutable(String manifestDigest) {
        return registry + "/" + repository + "@" + manifestDigest;
    }

    @Override
    public String toString() {
        return registry + "/" + repository + tag.map(t -> ":" + t).orElse("")
                + digest.map(d -> "@" + d).orElse("");
    }
}
