package io.portcullis.kwctl.run;

import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.ImageLookup;
import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.capabilities.images.RegistryImages;
import io.portcullis.evaluator.host.CertificateTrust;
import io.portcullis.evaluator.host.Dns;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.LiveBackend;
import io.portcullis.kwctl.args.ParsedArguments;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.wasm.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * Serves host calls with the user's cluster, registries and credentials. Connects only at the first call, because most
 * policies make none. Not thread-safe.
 */
final class LiveHost implements HostBackend, AutoCloseable {

    private final ParsedArguments arguments;
    private final CommandSession session;
    private final ClusterConnection cluster;
    private @Nullable Transport transport;
    private @Nullable LiveBackend backend;

    LiveHost(ParsedArguments arguments, CommandSession session) {
        this.arguments = arguments;
        this.session = session;
        this.cluster = ClusterConnection.find(session.environment(), session.clock());
    }

    @Override
    public byte[] answer(HostRequest request, Deadline deadline) {
        if (backend == null) {
            transport = RemoteOptions.transport(arguments, session);
            var images = new RegistryImages(
                    new ImageLookup(RemoteOptions.registry(transport, arguments, session)),
                    VerificationOptions.verifier(transport, arguments, session));
            backend = new LiveBackend(cluster, images, images, Dns.system(), new CertificateTrust(session.clock()));
        }
        return backend.answer(request, deadline);
    }

    @Override
    public void close() {
        cluster.close();
        if (transport != null) {
            transport.close();
        }
    }
}
