package io.portcullis.server.cluster.peers;

import io.portcullis.process.tls.ClientTls;
import io.portcullis.process.tls.TlsException;
import io.portcullis.process.tls.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The mounted files with which one replica calls another. All replicas of a server share them. Reads them on every call, because they
 * rotate.
 *
 * @param own the certificate that this replica serves with. It is also the client certificate, for servers that require one, and it
 *     is trusted, because a certificate of the user may come from another authority
 * @param authorities the directory with {@code ca.crt} and, during a rotation, {@code old-ca.crt}
 */
public record PeerCredentials(TlsFiles own, Path authorities, Path tokenFile) {

    private static final int MAX_TOKEN_BYTES = 4096;

    /** @throws TlsException when the files cannot be used */
    SSLContext tls() throws IOException {
        var trusted = new ArrayList<>(List.of(own.certificate()));
        var old = authorities.resolve("old-ca.crt");
        if (Files.exists(old)) {
            trusted.add(old);
        }
        return ClientTls.load(trusted, Optional.of(own))
                .trusting(Files.readString(authorities.resolve("ca.crt"), StandardCharsets.ISO_8859_1));
    }

    /** @throws IOException when there is no token that a header can contain; the message does not contain it */
    String token() throws IOException {
        try (var in = Files.newInputStream(tokenFile)) {
            var token = new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8).strip();
            if (!token.matches("[\\x21-\\x7e]+")) {
                throw new IOException("the evidence token is not usable");
            }
            return token;
        }
    }
}
