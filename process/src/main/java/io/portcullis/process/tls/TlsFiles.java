package io.portcullis.process.tls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where certificate and key are, and the authorities that client certificates must come from; none means no mTLS. */
public record TlsFiles(Path certificate, Path key, List<Path> clientAuthorities) {

    public TlsFiles {
        clientAuthorities = List.copyOf(clientAuthorities);
    }

    List<Path> all() {
        var files = new ArrayList<Path>();
        files.add(certificate);
        files.add(key);
        files.addAll(clientAuthorities);
        return files;
    }
}
