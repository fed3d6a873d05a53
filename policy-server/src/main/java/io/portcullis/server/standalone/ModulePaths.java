package io.portcullis.server.standalone;

import java.nio.file.Path;

/**
 * Resolves relative module paths such as {@code ./policy.wasm} or {@code ../policy.wasm} against the directory of the
 * policies file. Upstream supports absolute {@code file://} URLs only.
 */
record ModulePaths(Path directory) {

    static ModulePaths relativeTo(Path policiesFile) {
        var parent = policiesFile.toAbsolutePath().normalize().getParent();
        return new ModulePaths(parent == null ? Path.of("/") : parent);
    }

    String resolve(String module) {
        var isRelative = module.startsWith("./") || module.startsWith("../");
        return isRelative ? directory.resolve(module).normalize().toUri().toString() : module;
    }
}
