package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.tuf.TufTrustRoot;
import io.portcullis.artifacts.verify.ConfiguredVerification;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.artifacts.verify.SignatureConstraint;
import io.portcullis.artifacts.verify.SignatureConstraint.Subject;
import io.portcullis.artifacts.verify.VerificationConfig;
import io.portcullis.artifacts.verify.VerificationConfigFile;
import io.portcullis.artifacts.verify.trust.TrustRootSource;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.ErrorText;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The signature verification options, and the verification config that they produce. */
public final class VerificationOptions {

    private static final Logger log = LoggerFactory.getLogger("kwctl::verify");

    private static final Option ANNOTATION = Option.many(
                    "verification-annotation", "KEY=VALUE", "Annotation that signatures must carry; may be repeated")
            .withShort('a');
    private static final Option CERT_EMAIL =
            Option.one("cert-email", "VALUE", "Expected email in the Fulcio certificate");
    private static final Option CERT_OIDC_ISSUER =
            Option.one("cert-oidc-issuer", "VALUE", "Expected OIDC issuer in the Fulcio certificate");
    private static final Option CONFIG =
            Option.one("verification-config-path", "PATH", "YAML file with the verification config");
    private static final Option GITHUB_OWNER =
            Option.one("github-owner", "VALUE", "GitHub owner expected in the certificates generated in CD pipelines");
    private static final Option GITHUB_REPO = Option.one(
            "github-repo", "VALUE", "GitHub repository expected in the certificates generated in CD pipelines");
    private static final Option KEY = Option.many(
                    "verification-key", "PATH", "Key used to verify the policy; may be repeated, all must have signed")
            .withShort('k');
    private static final Option TRUST_CONFIG = Option.one(
            "sigstore-trust-config",
            "PATH",
            "JSON file with the Sigstore trust root: a ClientTrustConfig or TrustedRoot");

    public static final List<Option> OPTIONS =
            List.of(ANNOTATION, CERT_EMAIL, CERT_OIDC_ISSUER, CONFIG, GITHUB_OWNER, GITHUB_REPO, KEY, TRUST_CONFIG);

    private static final List<Option> DEMANDS =
            List.of(ANNOTATION, CERT_EMAIL, CERT_OIDC_ISSUER, GITHUB_OWNER, GITHUB_REPO, KEY);

    private VerificationOptions() {}

    /** Returns the verification config: from flags, from the given file, from the user's own file, or none. */
    public static Optional<VerificationConfig> config(ParsedArguments arguments, CommandSession session) {
        var byFlags = DEMANDS.stream().anyMatch(arguments::has);
        if (byFlags && arguments.has(CONFIG)) {
            throw new CommandException(
                    "verification-config-path cannot be used in conjunction with other verification flags");
        }
        if (byFlags) {
            return Optional.of(VerificationConfig.allOf(constraints(arguments, session)));
        }
        if (arguments.has(CONFIG)) {
            return arguments.value(CONFIG).map(session::path).map(VerificationConfigFile::load);
        }
        var standard = session.directories().verificationConfigFile();
        if (Files.isRegularFile(standard)) {
            log.atInfo().addKeyValue("file", standard).log("Default verification config present, using it");
            return Optional.of(VerificationConfigFile.load(standard));
        }
        return Optional.empty();
    }

    private static List<SignatureConstraint> constraints(ParsedArguments arguments, CommandSession session) {
        var annotations = annotations(arguments.values(ANNOTATION));
        check(arguments);
        var constraints = new ArrayList<SignatureConstraint>();
        arguments
                .value(CERT_EMAIL)
                .map(email -> new SignatureConstraint.GenericIssuer(
                        arguments.required(CERT_OIDC_ISSUER), new Subject.Equal(email), annotations))
                .ifPresent(constraints::add);
        arguments
                .value(GITHUB_OWNER)
                .map(owner -> new SignatureConstraint.GithubAction(owner, arguments.value(GITHUB_REPO), annotations))
                .ifPresent(constraints::add);
        arguments
                .values(KEY)
                .forEach(file -> constraints.add(
                        SignatureConstraint.PubKey.of(key(file, session), Optional.empty(), annotations)));
        return constraints;
    }

    private static void check(ParsedArguments arguments) {
        if (arguments.has(CERT_EMAIL) != arguments.has(CERT_OIDC_ISSUER)) {
            throw new CommandException(
                    "Intending to verify a certificate, but email and OIDC issuer must be given together");
        }
        if (arguments.has(GITHUB_REPO) && !arguments.has(GITHUB_OWNER)) {
            throw new CommandException(
                    "Intending to verify GitHub actions signature, but the repository owner is missing");
        }
        if (arguments.has(ANNOTATION)
                && Stream.of(KEY, CERT_EMAIL, GITHUB_OWNER).noneMatch(arguments::has)) {
            throw new CommandException(
                    "Intending to verify annotations, but no verification keys, OIDC issuer or GitHub owner were passed");
        }
    }

    /** Parses annotations. Ignores items without an equals sign, as the original kwctl does. */
    private static Map<String, String> annotations(List<String> items) {
        var annotations = new TreeMap<String, String>();
        for (var item : items) {
            var equals = item.indexOf('=');
            if (equals > 0) {
                annotations.put(item.substring(0, equals), item.substring(equals + 1));
            }
        }
        return annotations;
    }

    private static String key(String file, CommandSession session) {
        try {
            return TextFile.read(session.path(file), "could not read file " + file);
        } catch (CommandException e) {
            throw e.getCause() instanceof IOException reason
                    ? new CommandException(e.getMessage() + ": " + ErrorText.osError(reason), reason)
                    : e;
        }
    }

    /** Fails if the given trust root is not readable, even if no signature needs it. */
    static void checkTrustConfig(ParsedArguments arguments, CommandSession session) {
        arguments
                .value(TRUST_CONFIG)
                .map(session::path)
                .map(TrustRootSource::file)
                .ifPresent(TrustRootSource::get);
    }

    /** Creates the verification. Loads the trust root only when a signature needs it. */
    static PolicyVerification verification(
            VerificationConfig config, Transport transport, ParsedArguments arguments, CommandSession session) {
        return new ConfiguredVerification(
                verifier(transport, arguments, session),
                RemoteOptions.artifacts(transport, arguments, session),
                config);
    }

    /** Creates a verifier with the trust root of the options, else with Sigstore's public trust root. */
    public static ImageVerifier verifier(Transport transport, ParsedArguments arguments, CommandSession session) {
        var clock = Clock.system(ZoneOffset.UTC);
        var trustRoot = arguments
                .value(TRUST_CONFIG)
                .map(session::path)
                .map(TrustRootSource::file)
                .orElseGet(() ->
                        TufTrustRoot.ofSigstore(transport, session.directories().trustRoot(), clock));
        return new ImageVerifier(RemoteOptions.registry(transport, arguments, session), trustRoot, clock);
    }
}
