package io.portcullis.wasm.wasi;

/** The WASI error numbers that our functions return; the same in both versions. */
final class Errno {

    static final long SUCCESS = 0;
    static final long BADF = 8;
    static final long INVAL = 28;
    static final long NOTSUP = 58;
    static final long SPIPE = 70;

    private Errno() {}
}
