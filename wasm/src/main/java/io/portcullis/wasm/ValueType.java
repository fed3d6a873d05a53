package io.portcullis.wasm;

/** The types of values that host and guest exchange. */
public enum ValueType {
    I32,
    I64,
    F32,
    F64,
    V128,
    REFERENCE
}
