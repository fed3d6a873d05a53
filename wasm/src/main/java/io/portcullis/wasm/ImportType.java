package io.portcullis.wasm;

/** Something a module asks its host for. */
public record ImportType(String module, String name, ExternType type) {}
