package io.portcullis.capabilities.cluster;

/** The API server no longer serves a type that was discovered before. */
final class TypeGoneException extends RuntimeException {

    TypeGoneException(ResourceType type) {
        super(type + " is no longer served");
    }
}
