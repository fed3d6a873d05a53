package io.portcullis.testkit.registry;

import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The registry of the distribution project as a local process. It listens on loopback by default, and stores its blobs
 * in a directory of the test. A test that uses it must have {@code @NeedsTools("registry")}. Several registries can run
 * at once.
 */
public final class LocalRegistry implements AutoCloseable {

    /** The only user of a registry with authentication. */
    public static final String USER = "portcullis";

    public static final String PASSWORD = "portcullis";

    private static final String HTPASSWD_LINE =
            USER + ":$2b$04$jB9f4m/qxsUMMflGS07Hfuu5.oLjNDo.S0oLRO0ZqmTpEU0H/reFC\n";

    private static final Duration START_LIMIT = Duration.ofSeconds(30);

    private static final String LOOPBACK = "127.0.0.1";

    private final RunningProgram program;
    private final String host;
    private final int port;
    private final Optional<ServingCertificate> certificate;
    private final Optional<TokenServer> tokens;

    private LocalRegistry(
            RunningProgram program,
            String host,
            int port,
            Optional<ServingCertificate> certificate,
            Optional<TokenServer> tokens) {
        this.program = program;
        this.host = host;
        this.port = port;
        this.certificate = certificate;
        this.tokens = tokens;
    }

    /** Starts a registry without authentication, over plain HTTP. */
    public static LocalRegistry plain(Path directory) {
        return start(directory, Optional.empty(), "", Optional.empty());
    }

    /** Starts a registry without authentication, over plain HTTP, at an address of this machine that pods can reach. */
    public static LocalRegistry plainAt(String address, Path directory) {
        return start(directory, address, Optional.empty(), "", Optional.empty());
    }

    /** Starts a registry without authentication, over TLS with a certificate that clients do not trust by default. */
    public static LocalRegistry withTls(Path directory) {
        return start(directory, Optional.of(certificate()), "", Optional.empty());
    }

    /** Starts a registry over TLS with HTTP basic authentication for {@link #USER} and {@link #PASSWORD}. */
    public static LocalRegistry withPassword(Path directory) {
        var file = write(directory.resolve("htpasswd"), HTPASSWD_LINE);
        var access = """
                auth:
                  htpasswd: {realm: portcullis, path: "%s"}
                """.formatted(file);
        return start(directory, Optional.of(certificate()), access, Optional.empty());
    }

    /**
     * Starts a registry over TLS with bearer tokens from a token server, as public registries do. It accepts {@link
     * #USER}.
     */
    public static LocalRegistry withTokens(Path directory) {
        var tokens = TokenServer.start();
        var trusted = write(directory.resolve("tokens.crt"), tokens.certificatePem());
        var access = """
                auth:
                  token: {realm: "%s", service: "%s", issuer: "%s", rootcertbundle: "%s"}
                """.formatted(tokens.realm(), TokenServer.SERVICE, TokenServer.ISSUER, trusted);
        return start(directory, Optional.of(certificate()), access, Optional.of(tokens));
    }

    private static ServingCertificate certificate() {
        return ServingCertificate.forNames("localhost", "127.0.0.1");
    }

    private static LocalRegistry start(
            Path directory, Optional<ServingCertificate> certificate, String access, Optional<TokenServer> tokens) {
        return start(directory, LOOPBACK, certificate, access, tokens);
    }

    private static LocalRegistry start(
            Path directory,
            String address,
            Optional<ServingCertificate> certificate,
            String access,
            Optional<TokenServer> tokens) {
        var port = FreePort.find();
        var tls = certificate.map(c -> tlsSettings(directory, c)).orElse("{}");
        var configuration = write(directory.resolve("registry.yml"), """
                version: 0.1
                log: {level: warn, accesslog: {disabled: true}}
                storage: {filesystem: {rootdirectory: "%s"}, delete: {enabled: true}}
                http: {addr: "%s:%d", tls: %s}
                %s""".formatted(
                        directory.resolve("blobs"), address, port, tls, access));
        var command = List.of(Tools.current().path("registry").toString(), "serve", configuration.toString());
        var program = RunningProgram.start(
                directory.resolve("registry.log"), command, Map.of("OTEL_TRACES_EXPORTER", "none"));
        var host = address.equals(LOOPBACK) ? "localhost" : address;
        return new LocalRegistry(program.awaitPort(address, port, START_LIMIT), host, port, certificate, tokens);
    }

    private static String tlsSettings(Path directory, ServingCertificate certificate) {
        var chain = write(directory.resolve("registry.crt"), certificate.certificatePem());
        var key = write(directory.resolve("registry.key"), certificate.privateKeyPem());
        return "{certificate: \"%s\", key: \"%s\"}".formatted(chain, key);
    }

    private static Path write(Path file, String content) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            return Files.writeString(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    /** Returns {@code localhost:PORT} or {@code ADDRESS:PORT}, the first part of an image reference. */
    public String host() {
        return host + ":" + port;
    }

    /** Returns the certificate that clients must trust; empty for a plain HTTP registry. */
    public Optional<ServingCertificate> servingCertificate() {
        return certificate;
    }

    /** Returns the process, for fault injection. */
    public RunningProgram program() {
        return program;
    }

    @Override
    public void close() {
        tokens.ifPresent(TokenServer::close);
        program.close();
    }
}
