package io.portcullis.process.logging;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Somebody else's stream: logback closes what it writes to, and nobody wants to lose standard output. */
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
