package io.portcullis.evaluator.host.session;

import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.host.HostResult;

/** A recorded host request and its result. */
public record Exchange(HostRequest request, HostResult result) {}
