package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import io.portcullis.evaluator.runtime.GuestOutcome;
import java.util.ArrayList;
import java.util.List;

/** Converts Gatekeeper violations to a verdict: {@code [{"result": [{"msg": …}, …]}]}; no violation means allowed. */
final class GatekeeperResult {

    private GatekeeperResult() {}

    static GuestOutcome interpret(byte[] json) {
        try {
            var in = new JsonScanner(json);
            var messages = new ArrayList<String>();
            int violations = -1;
            in.enterList("a result set");
            if (in.nextItem()) {
                in.enterObject("a result");
                for (var key = in.nextKey(); key != null; key = in.nextKey()) {
                    if (key.equals("result")) {
                        if (violations >= 0) {
                            throw in.shape("duplicate field `result`");
                        }
                        violations = violations(in, messages);
                    } else {
                        in.skipValue();
                    }
                }
                if (in.nextItem()) {
                    return uninterpretable();
                }
            }
            in.finish();
            return violations < 0 ? uninterpretable() : new GuestOutcome.AnsweredReview(verdict(violations, messages));
        } catch (JsonException e) {
            return uninterpretable();
        }
    }

    private static int violations(JsonScanner in, List<String> messages) {
        int count = 0;
        in.enterList("a list of violations");
        while (in.nextItem()) {
            count++;
            in.enterObject("a violation");
            for (var key = in.nextKey(); key != null; key = in.nextKey()) {
                if (key.equals("msg") && !in.skipNull()) {
                    messages.add(in.readString());
                } else if (!key.equals("msg")) {
                    in.skipValue();
                }
            }
        }
        return count;
    }

    private static AdmissionResponse verdict(int violations, List<String> messages) {
        return violations == 0
                ? AdmissionResponse.allow("")
                : AdmissionResponse.reject("", Status.message(String.join(", ", messages)));
    }

    private static GuestOutcome uninterpretable() {
        return GuestOutcome.Failed.internal(
                EvaluationFailure.INVALID_ANSWER, "cannot interpret Gatekeeper policy result");
    }
}
