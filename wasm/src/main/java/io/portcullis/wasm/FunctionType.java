package io.portcullis.wasm;

import java.util.Collections;
import java.util.List;

/** Parameters and results of a function. */
public record FunctionType(List<ValueType> parameters, List<ValueType> results) {

    public FunctionType {
        parameters = List.copyOf(parameters);
        results = List.copyOf(results);
    }

    /** {@code (i32 × parameters) → i32 × results}, the shape of nearly every host function of the policy ABIs. */
    public static FunctionType i32s(int parameters, int results) {
        return new FunctionType(
                Collections.nCopies(parameters, ValueType.I32), Collections.nCopies(results, ValueType.I32));
    }
}
