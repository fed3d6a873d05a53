package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import java.net.URI;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A constraint on one signature. */
public sealed interface SignatureConstraint {

    /** Annotations that the signed payload must contain; it may contain more. */
    Map<String, String> annotations();

    /** Reports whether checking this constraint requires a trust root. */
    default boolean needsTrustRoot() {
        return switch (this) {
            case PubKey _ -> false;
            case GenericIssuer _, GithubAction _ -> true;
            case Certificate certificate -> certificate.requireRekorBundle();
        };
    }

    /** Requires a signature by this key. */
    record PubKey(String pem, PublicKey key, Optional<String> owner, Map<String, String> annotations)
            implements SignatureConstraint {

        public PubKey {
            annotations = sorted(annotations);
        }

        public static PubKey of(String pem, Optional<String> owner, Map<String, String> annotations) {
            return new PubKey(pem, SignatureKeys.parsePem(pem), owner, annotations);
        }
    }

    /** Requires a signer with this subject, issued by this OpenID provider. */
    record GenericIssuer(String issuer, Subject subject, Map<String, String> annotations)
            implements SignatureConstraint {
        public GenericIssuer {
            annotations = sorted(annotations);
        }
    }

    /** Requires a GitHub workflow of this owner. */
    record GithubAction(String owner, Optional<String> repo, Map<String, String> annotations)
            implements SignatureConstraint {

        static final String ISSUER = "https://token.actions.githubusercontent.com";

        public GithubAction {
            annotations = sorted(annotations);
        }
    }

    /** Requires a signature by the key of this certificate. Only policies use this constraint. */
    record Certificate(
            X509Certificate certificate,
            List<X509Certificate> chain,
            boolean requireRekorBundle,
            Map<String, String> annotations)
            implements SignatureConstraint {
        public Certificate {
            chain = List.copyOf(chain);
            annotations = sorted(annotations);
        }
    }

    /** Matches the subject name of a certificate. */
    sealed interface Subject {

        boolean accepts(String name);

        record Equal(String value) implements Subject {
            @Override
            public boolean accepts(String name) {
                return name.equals(value);
            }
        }

        /**
         * The value always ends with a slash, so that {@code …/kubewarden} does not match {@code …/kubewarden-evil}.
         */
        record UrlPrefix(String value) implements Subject {

            public UrlPrefix {
                if (!isAbsoluteUrl(value)) {
                    throw new ArtifactException(Reason.INVALID_REFERENCE, "urlPrefix is not a URL: \"" + value + "\"");
                }
                value = value.endsWith("/") ? value : value + "/";
            }

            private static boolean isAbsoluteUrl(String text) {
                try {
                    var uri = URI.create(text);
                    return uri.isAbsolute()
                            && uri.getHost() != null
                            && uri.getQuery() == null
                            && uri.getFragment() == null;
                } catch (IllegalArgumentException e) {
                    return false;
                }
            }

            @Override
            public boolean accepts(String name) {
                return name.startsWith(value);
            }
        }
    }

    private static Map<String, String> sorted(Map<String, String> annotations) {
        return Collections.unmodifiableMap(new TreeMap<>(annotations));
    }
}
