package io.portcullis.evaluator.host;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.capability.CapabilityPattern;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.host.HostCallObserver.Outcome;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResourcePluralName;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceAll;
import io.portcullis.evaluator.host.HostRequest.KubernetesListResourceNamespace;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Checks a host call against the policy's grants before the backend answers it. The order of the checks is part of the
 * contract with guests: binding, capability, namespace, operation, payload, Kubernetes grant, backend.
 *
 * <p>A caller that may read only one namespace gets no other object: lists are limited to that namespace, and an object
 * that is not in it is not returned.
 */
public final class GatedHostCapabilities implements HostCapabilities {

    private static final Logger log = LoggerFactory.getLogger(GatedHostCapabilities.class);
    private static final byte[] EMPTY_RESPONSE = {};
    private static final int MAX_LOG_PAYLOAD = 64 << 10;

    /** Certificates are the largest payloads that policies send. */
    private static final int MAX_PAYLOAD = 1 << 20;

    private final Optional<HostBackend> backend;
    private final PolicyLog policyLog;
    private final HostCallObserver observer;
    private final LogQuota logQuota;

    /** Uses the default quota for logs. */
    public GatedHostCapabilities(HostBackend backend, PolicyLog policyLog, HostCallObserver observer) {
        this(Optional.of(backend), policyLog, observer, LogQuota.DEFAULT);
    }

    public GatedHostCapabilities(
            HostBackend backend, PolicyLog policyLog, HostCallObserver observer, LogQuota logQuota) {
        this(Optional.of(backend), policyLog, observer, logQuota);
    }

    private GatedHostCapabilities(
            Optional<HostBackend> backend, PolicyLog policyLog, HostCallObserver observer, LogQuota logQuota) {
        this.backend = backend;
        this.policyLog = policyLog;
        this.observer = observer;
        this.logQuota = logQuota;
    }

    /** Creates an instance for programs that offer only logging. */
    public static GatedHostCapabilities withoutBackend(PolicyLog policyLog) {
        return new GatedHostCapabilities(Optional.empty(), policyLog, HostCallObserver.none(), LogQuota.DEFAULT);
    }

    @Override
    public byte[] call(HostCall call) {
        var path = call.namespace() + "/" + call.operation();
        long start = System.nanoTime();
        var outcome = Outcome.FAILED;
        try {
            checkBinding(call);
            if (call.namespace().equals("tracing")) {
                trace(call);
                outcome = Outcome.ANSWERED;
                return EMPTY_RESPONSE;
            }
            outcome = Outcome.DENIED;
            checkCapability(call.caller(), path);
            outcome = Outcome.FAILED;
            if (call.payload().length > MAX_PAYLOAD) {
                throw new HostCallException("the payload has %d bytes, the limit is %d and cannot be changed"
                        .formatted(call.payload().length, MAX_PAYLOAD));
            }
            var request = GuestPayloads.read(call.namespace(), call.operation(), call.payload());
            if (request instanceof HostRequest.Kubernetes kubernetes) {
                checkResource(call.caller(), new ContextAwareResource(kubernetes.apiVersion(), kubernetes.kind()));
                request = withinNamespace(call.caller(), kubernetes);
            }
            var answer = request instanceof KubernetesGetResource get
                    ? read(call.caller(), get)
                    : callBackend(call.caller(), request);
            outcome = Outcome.ANSWERED;
            return answer;
        } finally {
            observer.called(
                    call.caller().policyId(),
                    CapabilityPattern.ALL.contains(path) || path.equals("tracing/log") ? path : "other",
                    outcome,
                    Duration.ofNanos(System.nanoTime() - start));
        }
    }

    @Override
    public String pluralName(Caller caller, ContextAwareResource resource) {
        checkResource(caller, resource);
        var answer = callBackend(caller, new KubernetesGetResourcePluralName(resource.apiVersion(), resource.kind()));
        return HostJson.read(answer, String.class);
    }

    private static void checkBinding(HostCall call) {
        if (!call.binding().equals("kubewarden")) {
            throw new HostCallException("unknown binding: " + call.binding());
        }
    }

    @Override
    public LogQuota logQuota() {
        return logQuota;
    }

    private void checkCapability(Caller caller, String path) {
        if (CapabilityPatterns.allow(caller.hostCapabilities(), path)) {
            return;
        }
        logQuota.admit(caller.policyId(), path)
                .ifPresent(capability -> log.atError()
                        .addKeyValue("policy_id", caller.policyId())
                        .addKeyValue("capability", capability)
                        .addKeyValue("allowed_capabilities", caller.hostCapabilities())
                        .log("policy tried to use a host capability it was not granted"));
        throw new HostCallException("Policy has not been granted access to the '" + path
                + "' host capability. The violation has been reported.");
    }

    private void checkResource(Caller caller, ContextAwareResource resource) {
        if (caller.contextAwareResources().contains(resource)) {
            return;
        }
        logQuota.admit(caller.policyId(), resource.toString())
                .ifPresent(requested -> log.atError()
                        .addKeyValue("policy_id", caller.policyId())
                        .addKeyValue("resource_requested", requested)
                        .addKeyValue("resources_allowed", caller.contextAwareResources())
                        .log("policy tried to access a Kubernetes resource it was not granted"));
        throw new HostCallException("Policy has not been granted access to Kubernetes " + resource.apiVersion() + "/"
                + resource.kind() + " resources. The violation has been reported.");
    }

    /** Limits a read to the namespace of the caller, if the caller is limited to one. */
    private HostRequest withinNamespace(Caller caller, HostRequest.Kubernetes request) {
        if (caller.contextNamespace().isEmpty()) {
            return request;
        }
        var own = caller.contextNamespace().get();
        return switch (request) {
            case KubernetesListResourceAll all ->
                new KubernetesListResourceNamespace(
                        all.apiVersion(), all.kind(), own, all.labelSelector(), all.fieldSelector(), all.fieldMasks());
            case KubernetesListResourceNamespace list -> {
                checkNamespace(caller, own, list.namespace());
                yield list;
            }
            case KubernetesGetResource get -> {
                checkNamespace(caller, own, get.namespace());
                yield get;
            }
            case KubernetesGetResourcePluralName name -> name;
        };
    }

    /**
     * Reads one object. A reader ignores the namespace of a request for an object that is in no namespace, so a limited
     * caller gets the object only if the object itself says that it is in the caller's namespace. Field masks always
     * keep {@code metadata}.
     */
    private byte[] read(Caller caller, KubernetesGetResource get) {
        var answer = callBackend(caller, get);
        if (caller.contextNamespace().isPresent()) {
            var namespace =
                    HostJson.read(answer, ObjectNode.class).path("metadata").path("namespace");
            checkNamespace(caller, caller.contextNamespace().get(), namespace.textValue());
        }
        return answer;
    }

    private void checkNamespace(Caller caller, String own, @Nullable String requested) {
        if (!own.isEmpty() && own.equals(requested)) {
            return;
        }
        logQuota.admit(caller.policyId(), String.valueOf(requested))
                .ifPresent(namespace -> log.atError()
                        .addKeyValue("policy_id", caller.policyId())
                        .addKeyValue("namespace_requested", namespace)
                        .addKeyValue("namespace_allowed", own)
                        .log("policy tried to read Kubernetes objects outside of its namespace"));
        throw new HostCallException("Policy has not been granted access to Kubernetes resources outside of namespace '"
                + own + "'. The violation has been reported.");
    }

    private byte[] callBackend(Caller caller, HostRequest request) {
        var present = backend.orElseThrow(
                () -> new HostCallException("Cannot process Wasm guest request: callback channel not provided"));
        try {
            return present.answer(request, caller.deadline().atMost(SingleFlight.LIMIT));
        } catch (HostCallException e) {
            throw new HostCallException("Callback evaluation failure: " + e.getMessage(), e);
        }
    }

    /**
     * Logs a line of the guest. A line that the host cannot read never fails the call, because the error is in the
     * policy and not in the request.
     */
    private void trace(HostCall call) {
        if (!call.operation().equals("log")) {
            throw new HostCallException("unknown operation: " + call.operation());
        }
        var policyId = call.caller().policyId();
        if (logQuota.isUsedUp(policyId)) {
            return;
        }
        try {
            if (call.payload().length > MAX_LOG_PAYLOAD) {
                throw new HostCallException(
                        "the line has %d bytes, the limit is %d".formatted(call.payload().length, MAX_LOG_PAYLOAD));
            }
            var line = HostJson.read(call.payload(), ObjectNode.class);
            var level = level(line.path("level").asText());
            var message = line.path("message").asText("");
            line.remove("level");
            line.remove("message");
            logQuota.admit(policyId, message)
                    .ifPresent(text -> logQuota.admit(policyId, line.toString())
                            .ifPresent(data -> policyLog.log(policyId, level, text, data)));
        } catch (HostCallException e) {
            logQuota.admit(policyId, String.valueOf(e.getMessage()))
                    .ifPresent(error -> log.atError()
                            .addKeyValue("policy_id", policyId)
                            .addKeyValue("error", error)
                            .log("cannot read a log line of a policy"));
        }
    }

    private static Level level(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "trace" -> Level.TRACE;
            case "debug" -> Level.DEBUG;
            case "info" -> Level.INFO;
            case "warning" -> Level.WARN;
            case "error" -> Level.ERROR;
            default -> throw new HostCallException("unknown log level: " + name);
        };
    }
}
