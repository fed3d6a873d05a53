package io.portcullis.kwctl.policy;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.wasm.LocalModule;
import io.portcullis.artifacts.wasm.WasmModule;
import io.portcullis.kwctl.cli.CommandException;
import java.io.IOException;
import java.nio.file.Path;

/** A policy on this machine: in the store, or in a file of the user. */
public record LocalPolicy(PolicyUri uri, Path file) {

    public byte[] bytes() {
        try {
            return LocalModule.read(file, WasmModule.DEFAULT_LIMIT);
        } catch (IOException e) {
            throw new CommandException("cannot read metadata from path " + file, e);
        }
    }
}
