package io.portcullis.process.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** The blocks of a PEM file or text, in order. Text outside the blocks is ignored. */
record Pem(String source, List<Block> blocks) {

    record Block(String type, byte[] der) {}

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    static Pem read(Path file) {
        try {
            return parse(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException e) {
            throw new TlsException("cannot read " + file + ": no such file", e);
        } catch (IOException e) {
            throw new TlsException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** @param source the name of the source in error messages */
    static Pem parse(String source, String text) {
        var blocks = new ArrayList<Block>();
        var matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            var body = matcher.group(2);
            if (body.contains("ENCRYPTED")) {
                throw new TlsException("the key in " + source + " is encrypted; only plain keys are supported", null);
            }
            try {
                blocks.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(body)));
            } catch (IllegalArgumentException e) {
                throw new TlsException("broken PEM in " + source + ": " + e.getMessage(), e);
            }
        }
        return new Pem(source, blocks);
    }

    List<X509Certificate> certificates() {
        var certificates = new ArrayList<X509Certificate>();
        for (var block : blocks) {
            if (block.type().equals("CERTIFICATE")) {
                certificates.add(certificate(block));
            }
        }
        if (certificates.isEmpty()) {
            throw new TlsException("no certificate found in " + source, null);
        }
        return certificates;
    }

    private X509Certificate certificate(Block block) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(block.der()));
        } catch (CertificateException e) {
            throw new TlsException("cannot read a certificate in " + source + ": " + e.getMessage(), e);
        }
    }
}
