package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.Outcome;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The two conventions for what a policy is given and what it answers. */
public enum RegoDialect {

    /** Settings are the {@code data} document, the answer is an admission response. */
    OPA {
        @Override
        Optional<Outcome> refuses(EvaluationRequest request) {
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
        Inventory.Layout inventory() {
            return Inventory.Layout.OPA;
        }

        @Override
        Outcome interpret(byte[] result) {
            return OpaResult.interpret(result);
        }
    },

    /** Settings are {@code input.parameters}, the answer is a list of violations. */
    GATEKEEPER {
        @Override
        Optional<Outcome> refuses(EvaluationRequest request) {
            return switch (request) {
                case EvaluationRequest.Admission _ -> Optional.empty();
                case EvaluationRequest.Raw _ ->
                    Optional.of(Outcome.Failed.internal("Gatekeeper does not support raw validation requests"));
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
        Inventory.Layout inventory() {
            return Inventory.Layout.GATEKEEPER;
        }

        @Override
        Outcome interpret(byte[] result) {
            return GatekeeperResult.interpret(result);
        }
    };

    private static final byte[] EMPTY = {'{', '}'};

    /** The answer to requests that the dialect cannot express. */
    abstract Optional<Outcome> refuses(EvaluationRequest request);

    abstract byte[] input(EvaluationRequest request, ModuleContext context);

    /** The data document without anything from the cluster. */
    abstract byte[] baseData(ModuleContext context);

    abstract Inventory.Layout inventory();

    /** What the result of an evaluation means; anything unexpected is a failure, never an approval. */
    abstract Outcome interpret(byte[] result);

    private static byte[] splice(String head, byte[] middle, String tail) {
        var out = new ByteArrayOutputStream(head.length() + middle.length + tail.length());
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(middle);
        out.writeBytes(tail.getBytes(StandardCharsets.UTF_8));
        return out.toByteArray();
    }
}
