package io.portcullis.process.tls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The paths of certificate, key and client authorities. Without client authorities there is no mTLS. */
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
