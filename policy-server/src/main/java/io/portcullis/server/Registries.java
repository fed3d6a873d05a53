package io.portcullis.server;

import io.portcullis.artifacts.ModuleFetcher;
import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.PolicyVerification;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.DockerConfig;
import io.portcullis.artifacts.oci.ImageLookup;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.tuf.TufTrustRoot;
import io.portcullis.artifacts.verify.ConfiguredVerification;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.TrustRootSource;
import io.portcullis.artifacts.verify.VerificationConfigFile;
import io.portcullis.capabilities.images.RegistryImages;
import io.portcullis.server.settings.ServerSettings;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** The way to registries and web servers, with this server's credentials and trust. Nothing is contacted before it is needed. */
record Registries(Transport transport, RegistryClient client, ImageVerifier verifier) implements AutoCloseable {

    static Registries of(ServerSettings.Sources settings, Map<String, String> environment, Clock clock) {
        var transport = new Transport(settings.sources()
                .map(file -> Sources.load(file, environment))
                .orElseGet(() -> Sources.fromEnvironment(environment)));
        var client = new RegistryClient(transport, DockerConfig.load(settings.dockerConfig(), environment), clock);
        var sigstore = settings.sigstore();
        var trust = sigstore.trustConfig()
                .map(TrustRootSource::file)
                .orElseGet(() -> TufTrustRoot.ofSigstore(transport, sigstore.cacheDirectory(), clock));
        return new Registries(transport, client, new ImageVerifier(client, trust, clock));
    }

    ModuleFetcher fetcher(ServerSettings.Sources settings) {
        var artifacts = new PolicyArtifacts(client);
        return new PolicyFetcher(
                transport,
                artifacts,
                new PolicyStore(settings.downloadDirectory()),
                verification(settings, artifacts),
                PolicyFetcher.DEFAULT_LIMIT);
    }

    PinnedModules pinnedModules(ServerSettings.Sources settings) {
        var artifacts = new PolicyArtifacts(client);
        return new PinnedModules(
                transport,
                artifacts,
                verification(settings, artifacts),
                settings.downloadDirectory(),
                PolicyFetcher.DEFAULT_LIMIT);
    }

    private Optional<PolicyVerification> verification(ServerSettings.Sources settings, PolicyArtifacts artifacts) {
        return settings.verification()
                .map(file -> new ConfiguredVerification(verifier, artifacts, VerificationConfigFile.load(file)));
    }

    RegistryImages images() {
        return new RegistryImages(new ImageLookup(client), verifier);
    }

    @Override
    public void close() {
        transport.close();
    }
}
