package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The two conventions for the input and the result of a Rego policy. */
public enum RegoDialect {

    /** The settings are the {@code data} document; the result is an admission response. */
    OPA {
        @Override
        Optional<GuestOutcome> rejectUnsupported(EvaluationRequest request) {
            return Optional.empty();
        }

        @Override
        byte[] input(EvaluationRequest request, ModuleContext context) {
            return splice("{\"request\":", request.json(), "}");
        }

        @Override
        byte[] baseData(ModuleContext context) {
            return context.settings();
        }

        @Override
        GatekeeperInventory.Layout inventory() {
            return GatekeeperInventory.Layout.OPA;
        }

        @Override
        GuestOutcome interpret(byte[] result) {
            return OpaResult.interpret(result);
        }
    },

    /** The settings are {@code input.parameters}; the result is a list of violations. */
    GATEKEEPER {
        @Override
        Optional<GuestOutcome> rejectUnsupported(EvaluationRequest request) {
            return switch (request) {
                case EvaluationRequest.Admission _ -> Optional.empty();
                case EvaluationRequest.Raw _ ->
                    Optional.of(GuestOutcome.Failed.internal(
                            EvaluationFailure.UNSUPPORTED_REQUEST,
                            "Gatekeeper does not support raw validation requests"));
            };
        }

        @Override
        byte[] input(EvaluationRequest request, ModuleContext context) {
            var head = splice("{\"parameters\":", context.settings(), ",\"review\":");
            return splice(new String(head, StandardCharsets.UTF_8), request.json(), "}");
        }

        @Override
        byte[] baseData(ModuleContext context) {
            return EMPTY;
        }

        @Override
        GatekeeperInventory.Layout inventory() {
            return GatekeeperInventory.Layout.GATEKEEPER;
        }

        @Override
        GuestOutcome interpret(byte[] result) {
            return GatekeeperResult.interpret(result);
        }
    };

    private static final byte[] EMPTY = {'{', '}'};

    /** Returns the failure for requests that the dialect does not support; empty for supported requests. */
    abstract Optional<GuestOutcome> rejectUnsupported(EvaluationRequest request);

    abstract byte[] input(EvaluationRequest request, ModuleContext context);

    /** Returns the data document without objects from the cluster. */
    abstract byte[] baseData(ModuleContext context);

    abstract GatekeeperInventory.Layout inventory();

    /** Interprets the result of an evaluation. An unexpected result is a failure, never an approval. */
    abstract GuestOutcome interpret(byte[] result);

    private static byte[] splice(String head, byte[] middle, String tail) {
        var out = new ByteArrayOutputStream(head.length() + middle.length + tail.length());
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(middle);
        out.writeBytes(tail.getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }
}
