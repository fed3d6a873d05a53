package io.portcullis.artifacts;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.Download;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Request;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.Receipt;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Downloads one policy from its URI into a file. Thread-safe. */
final class PolicyPull {

    private static final int MAGIC_LENGTH = 4;

    private final Transport transport;
    private final PolicyArtifacts artifacts;
    private final long limit;

    PolicyPull(Transport transport, PolicyArtifacts artifacts, long limit) {
        this.transport = transport;
        this.artifacts = artifacts;
        this.limit = limit;
    }

    long limit() {
        return limit;
    }

    Receipt pull(PolicyUri uri, Path file, DownloadProgress progress) throws IOException {
        var receipt = switch (uri) {
            case PolicyUri.Registry registry -> fromRegistry(registry, file, progress);
            case PolicyUri.Web web -> fromWeb(web, file, progress);
            case PolicyUri.LocalFile(var path) ->
                throw new ArtifactException(Reason.INVALID_REFERENCE, "nothing to download: " + path);
        };
        try (InputStream in = Files.newInputStream(file)) {
            WasmModule.checkMagic(uri.toString(), in.readNBytes(MAGIC_LENGTH));
        }
        return receipt;
    }

    private Receipt fromRegistry(PolicyUri.Registry uri, Path file, DownloadProgress progress) {
        var policy = artifacts.resolve(uri.image());
        artifacts.pull(policy, file, limit, progress);
        return new Receipt(policy.wasm().digest(), new PolicyUri.Registry(policy.pinned()).toString());
    }

    private Receipt fromWeb(PolicyUri.Web uri, Path file, DownloadProgress progress) {
        var request = Request.get(uri.uri(), Map.of());
        var digest = new Download(transport, request, limit, Optional.empty(), progress).to(file, transport::send);
        return new Receipt(digest, uri.toString());
    }
}
