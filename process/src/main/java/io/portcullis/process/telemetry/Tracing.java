package io.portcullis.process.telemetry;

/** Records how long things took and what came of them. */
public interface Tracing extends AutoCloseable {

    /** For when nobody listens: costs nothing. */
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

    /** One thing under way. Belongs to one thread at a time. */
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

        /** False when setting attributes is wasted work. */
        boolean isRecording();

        Span set(String key, String value);

        /** Ends it. */
        @Override
        void close();
    }
}
