package io.portcullis.wasm;

/** The name and type of an import. */
public record ImportType(String module, String name, ExternType type) {}
