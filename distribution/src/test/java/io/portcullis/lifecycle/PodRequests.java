package io.portcullis.lifecycle;

import io.portcullis.lifecycle.Requests.Answer;

/** Asks whether pods may be created. */
interface PodRequests extends AutoCloseable {

    Answer privilegedPod();

    Answer ordinaryPod();

    @Override
    void close();
}
