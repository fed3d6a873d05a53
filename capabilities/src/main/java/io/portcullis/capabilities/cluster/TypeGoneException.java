package io.portcullis.capabilities.cluster;

/** The API server no longer serves the objects of a type that was once discovered. */
final class TypeGoneException extends RuntimeException {

    TypeGoneException(ResourceType type) {
        super(type + " is not served any more");
    }
}
