package io.portcullis.lifecycle;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Keys and certificates as others make them, in files of one directory. */
record OpenSsl(Path directory) {

    /** An authority that signs itself, with a key that is there already. */
    void authority(String key, String certificate, int days) {
        run(List.of(
                "req",
                "-x509",
                "-new",
                "-key",
                file(key),
                "-subj",
                "/CN=kubewarden-controller-ca",
                "-days",
                Integer.toString(days),
                "-out",
                file(certificate)));
    }

    /** On P-256, as SEC 1. */
    void key(String name) {
        run(List.of("ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", file(name)));
    }

    /** {@code tls.key} and {@code tls.crt} for a DNS name, signed by {@code ca.key}. */
    void leaf(String dnsName) {
        key("tls.key");
        write("tls.ext", "subjectAltName=DNS:" + dnsName + "\nextendedKeyUsage=clientAuth,serverAuth\n");
        run(List.of(
                "req",
                "-new",
                "-key",
                file("tls.key"),
                "-subj",
                "/CN=" + dnsName.substring(0, dnsName.indexOf('.')),
                "-out",
                file("tls.csr")));
        run(List.of(
                "x509",
                "-req",
                "-in",
                file("tls.csr"),
                "-CA",
                file("ca.crt"),
                "-CAkey",
                file("ca.key"),
                "-CAcreateserial",
                "-days",
                "365",
                "-extfile",
                file("tls.ext"),
                "-out",
                file("tls.crt")));
    }

    void write(String name, String text) {
        try {
            Files.writeString(directory.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String base64(String name) {
        try {
            return Base64.getEncoder().encodeToString(Files.readAllBytes(directory.resolve(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private static void run(List<String> words) {
        var all = new ArrayList<>(List.of("openssl"));
        all.addAll(words);
        ShellCommand.of(all).run();
    }
}
