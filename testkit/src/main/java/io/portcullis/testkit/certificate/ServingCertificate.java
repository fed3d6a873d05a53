package io.portcullis.testkit.certificate;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate with its private key. The certificate is its own authority. The JDK's keytool creates it,
 * so that testkit needs no library for it.
 */
public final class ServingCertificate {

    private static final String ALIAS = "server";
    private static final char[] PASSWORD = "password".toCharArray();

    private final KeyStore store;

    private ServingCertificate(KeyStore store) {
        this.store = store;
    }

    /** Creates a certificate for DNS names and IP addresses. */
    public static ServingCertificate forNames(String... names) {
        var subjectAlternativeNames = Arrays.stream(names)
                .map(name -> (name.matches("[0-9.]+") ? "ip:" : "dns:") + name)
                .collect(Collectors.joining(","));
        try {
            var directory = Files.createTempDirectory("certificate");
            var file = directory.resolve("store.p12");
            try {
                generate(file, names[0], subjectAlternativeNames);
                return new ServingCertificate(KeyStore.getInstance(file.toFile(), PASSWORD));
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a certificate for " + names[0], e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot read the certificate that keytool made", e);
        }
    }

    private static void generate(Path file, String name, String subjectAlternativeNames) {
        var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        ShellCommand.of(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-validity",
                        "30",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-ext",
                        "san=" + subjectAlternativeNames,
                        "-ext",
                        "bc:critical=ca:true",
                        "-ext",
                        "ku:critical=digitalSignature,keyCertSign",
                        "-ext",
                        "eku=serverAuth,clientAuth")
                .run();
    }

    public X509Certificate certificate() {
        try {
            return (X509Certificate) store.getCertificate(ALIAS);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key store holds no certificate", e);
        }
    }

    public PrivateKey privateKey() {
        try {
            return (PrivateKey) store.getKey(ALIAS, PASSWORD);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the key store holds no key", e);
        }
    }

    /** Returns the certificate as PEM, for a client's trust store or for the {@code caBundle} of a webhook. */
    public String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate().getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the certificate has no encoding", e);
        }
    }

    /** Returns the private key as PEM (PKCS #8). */
    public String privateKeyPem() {
        return pem("PRIVATE KEY", privateKey().getEncoded());
    }

    /** Returns key managers that present this certificate, as a server or as a client. */
    public KeyManager[] keyManagers() {
        try {
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD);
            return keys.getKeyManagers();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot use the certificate for TLS", e);
        }
    }

    /** Returns a TLS context that presents this certificate and trusts only this certificate. */
    public SSLContext sslContext() {
        try {
            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, certificate());
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var context = SSLContext.getInstance("TLS");
            context.init(keyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("cannot use the certificate for TLS", e);
        }
    }

    private static String pem(String label, byte[] content) {
        var body = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }
}
