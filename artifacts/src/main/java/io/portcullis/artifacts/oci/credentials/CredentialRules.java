package io.portcullis.artifacts.oci.credentials;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides which hosts may receive the credentials of a registry. Pure. {@code CredentialRulesTest} lists the cases.
 *
 * <ol>
 *   <li>Credentials and tokens go only to the registry's own API host: same host, same port, https. Plain HTTP is
 *       allowed only for a host that the operator listed as insecure.
 *   <li>Only that host may ask for credentials. Challenges of redirect targets, such as the storage behind
 *       the registry, are ignored.
 *   <li>The registry itself may name any https token server: ghcr.io, quay.io, ECR, GCR and GitLab name their own host,
 *       Docker Hub names auth.docker.io. A token server that uses plain HTTP must be listed as insecure.
 * </ol>
 */
public final class CredentialRules {

    private CredentialRules() {}

    /**
     * Reports whether a URL belongs to the registry's API.
     *
     * @param apiHost {@code host[:port]} of the registry's API
     * @param isInsecure whether the operator listed a {@code host[:port]} as insecure
     */
    public static boolean belongsTo(String apiHost, URI uri, Predicate<String> isInsecure) {
        var authority = uri.getRawAuthority();
        if (authority == null || !sameAuthority(authority, apiHost)) {
            return false;
        }
        return "https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && isInsecure.test(authority));
    }

    private static boolean sameAuthority(String one, String other) {
        return withoutDefaultPort(one).equals(withoutDefaultPort(other));
    }

    private static String withoutDefaultPort(String authority) {
        var lower = authority.toLowerCase(Locale.ROOT);
        return lower.endsWith(":443") ? lower.substring(0, lower.length() - ":443".length()) : lower;
    }

    /** Returns the reason why credentials must not go to a token server that the registry named, or empty. */
    public static Optional<String> realmRefusal(URI realm, Predicate<String> isInsecure) {
        var scheme = realm.getScheme();
        if (realm.getHost() == null || realm.getRawUserInfo() != null || scheme == null) {
            return Optional.of("its challenge names no usable token server");
        }
        return switch (scheme) {
            case "https" -> Optional.empty();
            case "http" ->
                isInsecure.test(realm.getRawAuthority())
                        ? Optional.empty()
                        : Optional.of("its token server " + realm.getRawAuthority()
                                + " speaks plain HTTP and is not listed under insecure_sources");
            default -> Optional.of("its challenge names no usable token server");
        };
    }
}
