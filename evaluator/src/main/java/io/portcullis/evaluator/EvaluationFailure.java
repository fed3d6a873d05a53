package io.portcullis.evaluator;

import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.GuestExitException;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.MemoryBudgetExceededException;
import io.portcullis.wasm.TrapException;
import io.portcullis.wasm.WasmException;

/** Why an evaluation failed. Code decides by this value; the message of the response is only for people. */
public enum EvaluationFailure {
    /** The evaluation was stopped at its deadline. */
    DEADLINE,
    /** The guest trapped or reached one of its limits. */
    TRAP,
    /** The guest reported an error instead of an answer. */
    GUEST_ERROR,
    /** The answer of the guest is malformed, or cannot become a response. */
    INVALID_ANSWER,
    /** The policy cannot evaluate requests of this kind. */
    UNSUPPORTED_REQUEST,
    /** The host could not do its part, for example because the memory that all evaluations share is used up. */
    HOST_ERROR;

    /** Classifies a failure of the engine. */
    public static EvaluationFailure of(WasmException failure) {
        return switch (failure) {
            case DeadlineExceededException _ -> DEADLINE;
            case TrapException _ -> TRAP;
            case GuestExitException _ -> GUEST_ERROR;
            case MemoryBudgetExceededException _, InvalidModuleException _, LinkException _ -> HOST_ERROR;
        };
    }
}
