package io.portcullis.evaluator.host.session;

import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.HostResult;

/** One request and how it was answered. */
public record Exchange(HostRequest request, HostResult result) {}
