package io.portcullis.server;

import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.http.HttpLimits;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.ImageLookup;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.DockerConfig;
import io.portcullis.artifacts.source.AllowedNetworks;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.tuf.TufTrustRoot;
import io.portcullis.artifacts.verify.ConfiguredVerification;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.artifacts.verify.VerificationConfigFile;
import io.portcullis.artifacts.verify.trust.TrustRootSource;
import io.portcullis.capabilities.images.RegistryImages;
import io.portcullis.capabilities.network.RestrictedDns;
import io.portcullis.evaluator.host.Dns;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.settings.ServerSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Connects to registries and web servers with this server's credentials and trust. Opens connections only when needed.
 * Modules and host calls use separate transports, because policies may not reach private addresses.
 */
record Registries(
        ServerSettings.Sources settings,
        Transport transport,
        RegistryClient client,
        ImageVerifier verifier,
        Transport hostCallTransport,
        RegistryImages images)
        implements AutoCloseable {

    /** Longer than any policy waits for a host call. It bounds the requests of abandoned calls to a slow registry. */
    private static final Duration HOST_CALL_TIMEOUT = Duration.ofSeconds(30);

    static Registries of(
            ServerSettings.Sources settings, Map<String, String> environment, Clock clock, Metrics metrics) {
        var sources = settings.sources()
                .map(file -> Sources.load(file, environment))
                .orElseGet(() -> Sources.fromEnvironment(environment));
        var limits = HttpLimits.DEFAULT.withTotal(settings.limits().timeout());
        var transport = new Transport(sources, limits, AllowedNetworks.EVERYTHING);
        var hostCallTransport =
                new Transport(sources, HttpLimits.DEFAULT.withTotal(HOST_CALL_TIMEOUT), settings.hostCallNetworks());
        var credentials = DockerConfig.load(settings.dockerConfig(), environment);
        var client = new RegistryClient(transport, credentials, clock);
        var hostCallClient = new RegistryClient(hostCallTransport, credentials, clock);
        var sigstore = settings.sigstore();
        var trust = sigstore.trustConfig()
                .map(TrustRootSource::file)
                .orElseGet(() -> TufTrustRoot.ofSigstore(transport, sigstore.cacheDirectory(), clock));
        var registries = new Registries(
                settings,
                transport,
                client,
                new ImageVerifier(client, trust, clock),
                hostCallTransport,
                new RegistryImages(new ImageLookup(hostCallClient), new ImageVerifier(hostCallClient, trust, clock)));
        registries.register(metrics);
        return registries;
    }

    private void register(Metrics metrics) {
        metrics.gauge(
                "kubewarden_module_largest_bytes",
                "Bytes of the largest module fetched since the start; the limit is --max-module-bytes.",
                transport::largestDownload);
        metrics.gauge(
                "kubewarden_module_requests",
                "Requests for modules and their signatures under way; each may take --module-fetch-timeout.",
                transport::openRequests);
        metrics.gauge(
                "kubewarden_host_call_blocked_connections",
                "Connections of policies refused because of their address; see --host-call-allowed-networks.",
                hostCallTransport::blockedConnections);
    }

    PolicyFetcher fetcher(ServerSettings.Sources settings) {
        var artifacts = new PolicyArtifacts(client);
        return new PolicyFetcher(
                transport,
                artifacts,
                new PolicyStore(settings.downloadDirectory()),
                verification(settings, artifacts),
                settings.limits().maxModuleBytes());
    }

    PinnedModules pinnedModules(ServerSettings.Sources settings) {
        var artifacts = new PolicyArtifacts(client);
        return new PinnedModules(
                transport,
                artifacts,
                verification(settings, artifacts),
                settings.downloadDirectory(),
                settings.limits().maxModuleBytes());
    }

    private Optional<PolicyVerification> verification(ServerSettings.Sources settings, PolicyArtifacts artifacts) {
        return settings.verification()
                .map(file -> new ConfiguredVerification(verifier, artifacts, VerificationConfigFile.load(file)));
    }

    /** Returns the name lookup for policies. It omits addresses that policies may not reach. */
    Dns dns() {
        return new RestrictedDns(Dns.system(), settings.hostCallNetworks());
    }

    @Override
    public void close() {
        transport.close();
        hostCallTransport.close();
    }
}
