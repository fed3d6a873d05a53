package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The two conventions for what a policy is given and what it answers. */
public enum RegoDialect {

    /** Settings are the {@code data} document, the answer is an admission response. */
    OPA {
        @Override
        Optional<GuestOutcome> refuses(EvaluationRequest request) {
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

    /** Settings are {@code input.parameters}, the answer is a list of violations. */
    GATEKEEPER {
        @Override
        Optional<GuestOutcome> refuses(EvaluationRequest request) {
            return switch (request) {
                case EvaluationRequest.Admission _ -> Optional.empty();
                case EvaluationRequest.Raw _ ->
                    Optional.of(GuestOutcome.Failed.internal("Gatekeeper does not support raw validation requests"));
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

    /** The answer to requests that the dialect cannot express. */
    abstract Optional<GuestOutcome> refuses(EvaluationRequest request);

    abstract byte[] input(EvaluationRequest request, ModuleContext context);

    /** The data document without anything from the cluster. */
    abstract byte[] baseData(ModuleContext context);

    abstract GatekeeperInventory.Layout inventory();

    /** What the result of an evaluation means; anything unexpected is a failure, never an approval. */
    abstract GuestOutcome interpret(byte[] result);

    private static byte[] splice(String head, byte[] middle, String tail) {
        var out = new ByteArrayOutputStream(head.length() + middle.length + tail.length());
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(middle);
        out.writeBytes(tail.getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }
}
