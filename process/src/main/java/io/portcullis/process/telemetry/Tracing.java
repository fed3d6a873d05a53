package io.portcullis.process.telemetry;

/** Records spans: the duration and the attributes of operations. */
public interface Tracing extends AutoCloseable {

    /** Records nothing, for programs without a collector. */
    Tracing OFF = new Tracing() {
        @Override
        public Span start(String name) {
            return Span.NONE;
        }

        @Override
        public void close() {}
    };

    Span start(String name);

    @Override
    void close();

    /** One running operation. Only one thread at a time may use it. */
    interface Span extends AutoCloseable {

        Span NONE = new Span() {
            @Override
            public boolean isRecording() {
                return false;
            }

            @Override
            public Span set(String key, String value) {
                return this;
            }

            @Override
            public void close() {}
        };

        /** Returns false when attributes are not recorded. */
        boolean isRecording();

        Span set(String key, String value);

        /** Ends the span. */
        @Override
        void close();
    }
}
