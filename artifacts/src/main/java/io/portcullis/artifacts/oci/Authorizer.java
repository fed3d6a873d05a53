package io.portcullis.artifacts.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.RegistryResponse;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.credentials.Credential;
import io.portcullis.artifacts.oci.credentials.CredentialRules;
import io.portcullis.artifacts.oci.credentials.Credentials;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Sends requests to registries with the credentials that they require: a password, or a token from the registry's
 * token server. {@link CredentialRules} decides which hosts may request and receive credentials. Thread-safe.
 */
final class Authorizer {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_TOKEN_RESPONSE_BYTES = 1 << 20;
    private static final long MIN_LIFETIME_SECONDS = 60;
    private static final long MAX_LIFETIME_SECONDS = 24 * 60 * 60;
    private static final long MARGIN_SECONDS = 10;
    /** Policies choose registries and repositories, so the number of cached tokens must be bounded. */
    private static final int MAX_GRANTS = 1_000;

    /** Characters that are valid in a header after {@code Bearer}. */
    private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]+");

    private record Grant(String header, Instant until) {}

    private final Transport transport;
    private final Credentials credentials;
    private final Clock clock;
    private final ConcurrentMap<TokenScope, Grant> grants = new ConcurrentHashMap<>();

    Authorizer(Transport transport, Credentials credentials, Clock clock) {
        this.transport = transport;
        this.credentials = credentials;
        this.clock = clock;
    }

    /**
     * Sends a request. If the registry responds with a challenge, authenticates and sends it once more. Ignores
     * challenges of other hosts.
     */
    RegistryResponse send(Request request, TokenScope scope) {
        if (!belongsToRegistry(request.uri(), scope)) {
            return transport.send(request);
        }
        var cached = Optional.ofNullable(grants.get(scope))
                .filter(grant -> grant.until().isAfter(clock.instant()));
        var first =
                transport.send(cached.map(grant -> authorized(request, grant)).orElse(request));
        var header = first.header("WWW-Authenticate");
        if (first.status() != 401 || header.isEmpty() || !belongsToRegistry(first.uri(), scope)) {
            return first;
        }
        first.close();
        var grant = grant(Challenge.parse(header.get()), first.uri(), scope);
        cache(scope, grant);
        return transport.send(authorized(request, grant));
    }

    private boolean belongsToRegistry(URI uri, TokenScope scope) {
        return CredentialRules.belongsTo(scope.apiHost(), uri, transport::isInsecure);
    }

    private void cache(TokenScope scope, Grant grant) {
        if (grants.size() >= MAX_GRANTS) {
            grants.values().removeIf(old -> !old.until().isAfter(clock.instant()));
        }
        if (grants.size() >= MAX_GRANTS) {
            grants.clear();
        }
        grants.put(scope, grant);
    }

    private static Request authorized(Request request, Grant grant) {
        return request.with("Authorization", grant.header());
    }

    private Grant grant(Challenge challenge, URI challenger, TokenScope scope) {
        var credential = credentials.forRegistry(scope.registry());
        if (challenge.isBearer()) {
            return token(challenge, challenger, scope, credential);
        }
        return switch (credential) {
            case Credential.Password password -> new Grant(password.basic(), Instant.MAX);
            case Credential.Anonymous _ -> throw unauthorized(scope, "it wants a password and none is configured");
            case Credential.IdentityToken _ ->
                throw unauthorized(scope, "it wants a password, only a token is configured");
        };
    }

    private Grant token(Challenge challenge, URI challenger, TokenScope scope, Credential credential) {
        var realm = realm(challenge, scope);
        var parameters = new HashMap<String, String>();
        if (!scope.wireName().isEmpty()) {
            parameters.put("scope", scope.wireName());
        }
        challenge.parameter("service").ifPresent(service -> parameters.put("service", service));
        var request = switch (credential) {
            case Credential.Anonymous _ -> Request.get(withQuery(realm, parameters), Map.of());
            case Credential.Password password ->
                Request.get(withQuery(realm, parameters), Map.of("Authorization", password.basic()));
            case Credential.IdentityToken identity -> refresh(realm, parameters, identity);
        };
        try (var response = transport.sendReferred(challenger, request)) {
            if (!response.isSuccess()) {
                throw response.status() / 100 == 4 && response.status() != 429
                        ? unauthorized(scope, "its token server answered " + response.status())
                        : response.failure("token server of " + scope.registry());
            }
            return read(response.bytes(MAX_TOKEN_RESPONSE_BYTES), scope);
        }
    }

    private URI realm(Challenge challenge, TokenScope scope) {
        URI realm;
        try {
            realm = URI.create(challenge.parameter("realm").orElse(""));
        } catch (IllegalArgumentException e) {
            throw unauthorized(scope, "its challenge names no usable token server");
        }
        CredentialRules.realmRefusal(realm, transport::isInsecure).ifPresent(why -> {
            throw unauthorized(scope, why);
        });
        return realm;
    }

    private static Request refresh(URI realm, Map<String, String> parameters, Credential.IdentityToken identity) {
        parameters.put("grant_type", "refresh_token");
        parameters.put("client_id", "portcullis");
        parameters.put("refresh_token", identity.token());
        var form = encode(parameters);
        return new Request(
                "POST",
                realm,
                Map.of("Content-Type", "application/x-www-form-urlencoded"),
                () -> BodyPublishers.ofString(form));
    }

    private static URI withQuery(URI realm, Map<String, String> parameters) {
        var separator = realm.getRawQuery() == null ? "?" : "&";
        return URI.create(realm + separator + encode(parameters));
    }

    private static String encode(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    private Grant read(byte[] response, TokenScope scope) {
        JsonNode json;
        try {
            json = JSON.readTree(response);
        } catch (IOException e) {
            throw unauthorized(scope, "its token server answered no JSON");
        }
        var token = json.path("token").asText(json.path("access_token").asText());
        if (!TOKEN.matcher(token).matches()) {
            throw unauthorized(scope, "its token server answered without a token");
        }
        var lifetime = Math.clamp(
                json.path("expires_in").asLong(MIN_LIFETIME_SECONDS), MIN_LIFETIME_SECONDS, MAX_LIFETIME_SECONDS);
        return new Grant("Bearer " + token, clock.instant().plusSeconds(lifetime - MARGIN_SECONDS));
    }

    private static ArtifactException unauthorized(TokenScope scope, String why) {
        return new ArtifactException(
                Reason.UNAUTHORIZED,
                "Not authorized: url https://" + scope.registry() + "/v2/" + scope.repository() + ": " + why);
    }
}
