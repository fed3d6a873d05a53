package io.portcullis.server;

import io.portcullis.server.cluster.modules.CacheFiles;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import io.portcullis.server.settings.ClusterSettings;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.InstantSource;
import java.util.Base64;

/** Creates the authority and the signing certificate that a controller mounts into a replica, as files in one directory. */
public record CacheCertificates(Path directory) {

    private static final String PASSWORD = "password";

    public static CacheCertificates in(Path directory, String policyServer)
            throws IOException, GeneralSecurityException {
        var store = directory.resolve("store.p12");
        keytool(store, "ca", "CN=internal", "bc:critical=ca:true", "ku:critical=keyCertSign");
        keytool(
                store,
                "signer",
                "CN=policy-server-" + policyServer + ".cache",
                "eku=codeSigning",
                "ku=digitalSignature",
                "ca");
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        write(
                directory.resolve("ca.crt"),
                "CERTIFICATE",
                keys.getCertificate("ca").getEncoded());
        write(
                directory.resolve("tls.crt"),
                "CERTIFICATE",
                keys.getCertificate("signer").getEncoded());
        write(
                directory.resolve("tls.key"),
                "PRIVATE KEY",
                keys.getKey("signer", PASSWORD.toCharArray()).getEncoded());
        return new CacheCertificates(directory);
    }

    /** Reads these files as the cache of the server does. */
    public CacheFiles files(String policyServer) {
        return new CacheFiles(
                new ClusterSettings.Cache(
                        directory, directory.resolve("tls.crt"), directory.resolve("tls.key"), directory),
                policyServer);
    }

    /** Signs and checks statements of the server with these files. */
    public RevisionStatements statements(String policyServer, InstantSource clock) {
        var files = files(policyServer);
        return new RevisionStatements(policyServer, files::signer, files::trust, clock);
    }

    private static void keytool(Path store, String alias, String name, String first, String second, String... signer) {
        var command = new java.util.ArrayList<>(java.util.List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                name,
                "-validity",
                "30",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-ext",
                first,
                "-ext",
                second));
        if (signer.length > 0) {
            command.add("-signer");
            command.add(signer[0]);
        }
        ShellCommand.of(command).run();
    }

    private static void write(Path file, String label, byte[] content) throws IOException {
        var body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n");
    }
}
