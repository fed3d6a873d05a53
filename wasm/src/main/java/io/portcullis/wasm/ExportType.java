package io.portcullis.wasm;

/** The name and type of an export. */
public record ExportType(String name, ExternType type) {}
