package io.portcullis.audit.policy;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.core.webhook.WebhookNames;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The audit endpoint of a policy.
 *
 * @param caBundle PEM certificates for checking the server's certificate; empty means the system's CAs
 * @param generation of the policy, from the path; 0 if the path contains none
 */
public record Endpoint(URI uri, String caBundle, long generation) {

    private static final int HTTPS = 443;
    private static final String VALIDATE = "/validate/";

    /**
     * Converts the client configuration of a webhook: same server, same policy and generation, but the audit path.
     *
     * @param server replaces scheme, host and port of every webhook
     * @throws IllegalArgumentException if the address is invalid; the message contains the reason
     */
    static Endpoint of(WebhookClientConfig config, Optional<URI> server) {
        var called = address(config);
        var path = Objects.requireNonNullElse(called.getPath(), "");
        if (!path.startsWith(VALIDATE)) {
            throw new IllegalArgumentException("its webhook calls " + path + ", which is no policy");
        }
        var base = server.map(URI::toString)
                .map(text -> text.endsWith("/") ? text.substring(0, text.length() - 1) : text)
                .orElseGet(() -> called.getScheme() + "://" + called.getAuthority());
        return new Endpoint(
                URI.create(base + "/audit/" + called.getRawPath().substring(VALIDATE.length())),
                bundle(config.getCaBundle()),
                WebhookNames.generation(path));
    }

    private static URI address(WebhookClientConfig config) {
        var service = config.getService();
        if (service == null) {
            return URI.create(Objects.requireNonNullElse(config.getUrl(), ""));
        }
        var port = Objects.requireNonNullElse(service.getPort(), HTTPS);
        return URI.create("https://" + service.getName() + "." + service.getNamespace() + ".svc:" + port
                + Objects.requireNonNullElse(service.getPath(), ""));
    }

    private static String bundle(@Nullable String base64) {
        return base64 == null || base64.isBlank()
                ? ""
                : new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.US_ASCII);
    }
}
