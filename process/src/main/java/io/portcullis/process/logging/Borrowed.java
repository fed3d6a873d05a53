package io.portcullis.process.logging;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that ignores close. Logback closes its output stream, and standard output must stay open. */
final class Borrowed extends FilterOutputStream {

    Borrowed(OutputStream owned) {
        super(owned);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
