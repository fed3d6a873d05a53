package io.portcullis.wasm;

/** Something a module offers its host. */
public record ExportType(String name, ExternType type) {}
