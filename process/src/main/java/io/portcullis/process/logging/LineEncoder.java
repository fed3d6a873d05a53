package io.portcullis.process.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;

/** An encoder that writes lines only, without a header or footer. */
abstract class LineEncoder extends EncoderBase<ILoggingEvent> {

    @Override
    public final byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public final byte[] footerBytes() {
        return new byte[0];
    }
}
