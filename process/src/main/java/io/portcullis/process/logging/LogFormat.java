package io.portcullis.process.logging;

/** The shape of a log line. */
public enum LogFormat {
    /** One line for people. */
    TEXT,
    /** One JSON object per line. */
    JSON
}
