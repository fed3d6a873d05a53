package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigInteger;
import java.util.Base64;

/** Converts parts of certificates and keys to Rego values. */
final class DerValues {

    private DerValues() {}

    /** Returns the built-in with malformed DER as a failure of the call. */
    static Builtin reading(Builtin builtin) {
        return (operands, scope) -> {
            try {
                return builtin.call(operands, scope);
            } catch (MalformedDerException e) {
                throw new BuiltinException("x509: " + e.getMessage(), e);
            }
        };
    }

    static RegoValue oid(DerElement element) {
        return RegoValue.array(element.oid().stream().map(RegoValue::of).toList());
    }

    static RegoValue base64(byte[] bytes) {
        return RegoValue.of(Base64.getEncoder().encodeToString(bytes));
    }

    static RegoValue number(BigInteger number) {
        return RegoValue.number(number.toString());
    }
}
