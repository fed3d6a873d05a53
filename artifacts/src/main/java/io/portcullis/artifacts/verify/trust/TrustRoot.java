package io.portcullis.artifacts.verify.trust;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.CertificateAuthorities;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The trusted certificate authorities, logs and timestamp authorities of a Sigstore instance. */
public record TrustRoot(
        List<Authority> certificateAuthorities,
        List<Log> transparencyLogs,
        List<Log> certificateLogs,
        List<Authority> timestampAuthorities) {

    private static final Logger LOG = LoggerFactory.getLogger(TrustRoot.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The period in which a key or a certificate is trusted. */
    public record Period(Instant start, Instant end) {
        public boolean contains(Instant instant) {
            return !instant.isBefore(start) && !instant.isAfter(end);
        }
    }

    /** @param chain the anchor last */
    public record Authority(List<X509Certificate> chain, Period validFor) {
        public Authority {
            chain = List.copyOf(chain);
        }

        public X509Certificate anchor() {
            return chain.getLast();
        }
    }

    /** @param id SHA-256 of the key */
    public record Log(byte[] id, PublicKey key, Period validFor) {}

    /**
     * Parses a {@code TrustedRoot}, or the one inside a {@code ClientTrustConfig}. Logs with kinds of keys that we do not know are
     * ignored, so that a new kind does not break the checks against the other logs.
     */
    public static TrustRoot parse(byte[] json) {
        try {
            var root = JSON.readTree(json);
            var trusted = root.has("trustedRoot") ? root.get("trustedRoot") : root;
            var parsed = new TrustRoot(
                    authorities(trusted.path("certificateAuthorities")),
                    logs(trusted.path("tlogs")),
                    logs(trusted.path("ctlogs")),
                    authorities(trusted.path("timestampAuthorities")));
            if (parsed.certificateAuthorities().isEmpty()
                    || parsed.transparencyLogs().isEmpty()) {
                throw new ArtifactException(
                        Reason.TRUST_ROOT,
                        "Error building Sigstore trust root: it names no certificate authority or no transparency log");
            }
            return parsed;
        } catch (IOException | IllegalArgumentException | DateTimeParseException e) {
            throw new ArtifactException(Reason.TRUST_ROOT, "Error building Sigstore trust root: " + e.getMessage(), e);
        }
    }

    private static List<Authority> authorities(JsonNode list) {
        var found = new ArrayList<Authority>();
        for (var node : list) {
            var chain = new ArrayList<X509Certificate>();
            node.at("/certChain/certificates")
                    .forEach(each -> chain.addAll(CertificateAuthorities.parse(bytes(each.path("rawBytes")))));
            if (!chain.isEmpty()) {
                found.add(new Authority(chain, period(node.path("validFor"))));
            }
        }
        return List.copyOf(found);
    }

    private static List<Log> logs(JsonNode list) {
        var found = new ArrayList<Log>();
        for (var node : list) {
            var key = node.path("publicKey");
            var period = period(key.path("validFor"));
            if (period.start().equals(Instant.MIN)) {
                throw new IllegalArgumentException("the key of a log has no start of its validity");
            }
            try {
                var parsed = SignatureKeys.parse(bytes(key.path("rawBytes")));
                found.add(new Log(bytes(node.at("/logId/keyId")), parsed, period));
            } catch (GeneralSecurityException e) {
                LOG.atDebug()
                        .addKeyValue("log", node.path("baseUrl").asText())
                        .log("ignored a log whose kind of key is unknown");
            }
        }
        return List.copyOf(found);
    }

    private static Period period(JsonNode node) {
        var start = node.path("start").asText("");
        var end = node.path("end").asText("");
        return new Period(
                start.isEmpty() ? Instant.MIN : Instant.parse(start), end.isEmpty() ? Instant.MAX : Instant.parse(end));
    }

    private static byte[] bytes(JsonNode base64) {
        return Base64.getDecoder().decode(base64.asText());
    }

    public Optional<Log> transparencyLog(byte[] id) {
        return find(transparencyLogs, id);
    }

    public Optional<Log> certificateLog(byte[] id) {
        return find(certificateLogs, id);
    }

    private static Optional<Log> find(List<Log> logs, byte[] id) {
        return logs.stream().filter(log -> Arrays.equals(log.id(), id)).findFirst();
    }
}
