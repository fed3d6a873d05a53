package io.portcullis.evaluator.wapc;

import static io.portcullis.evaluator.runtime.GuestArguments.bytes;
import static io.portcullis.evaluator.runtime.GuestArguments.name;
import static io.portcullis.evaluator.runtime.GuestArguments.unsigned;

import io.portcullis.evaluator.runtime.GuestArguments;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostFunction;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.Instance;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nine functions of module {@code wapc}. Invalid arguments trap the calling guest and affect nothing else. */
final class WapcImports {

    private static final Logger log = LoggerFactory.getLogger(WapcImports.class);

    /** The maximum size of an error text; people read it as a message. */
    private static final int MAX_ERROR_BYTES = 64 << 10;

    private final Function<Instance, WapcCallState> conversations;

    private WapcImports(Function<Instance, WapcCallState> conversations) {
        this.conversations = conversations;
    }

    /** @param conversations returns the conversation of an instance */
    static HostImports of(Function<Instance, WapcCallState> conversations) {
        var host = new WapcImports(conversations);
        return HostImports.builder()
                .function("wapc", "__guest_request", FunctionType.i32s(2, 0), host::guestRequest)
                .function("wapc", "__guest_response", FunctionType.i32s(2, 0), host::guestResponse)
                .function("wapc", "__guest_error", FunctionType.i32s(2, 0), host::guestError)
                .function("wapc", "__host_call", FunctionType.i32s(8, 1), host::hostCall)
                .function(
                        "wapc",
                        "__host_response_len",
                        FunctionType.i32s(0, 1),
                        host.length(WapcCallState::hostResponse))
                .function("wapc", "__host_response", FunctionType.i32s(1, 0), host.copy(WapcCallState::hostResponse))
                .function("wapc", "__host_error_len", FunctionType.i32s(0, 1), host.length(WapcCallState::hostError))
                .function("wapc", "__host_error", FunctionType.i32s(1, 0), host.copy(WapcCallState::hostError))
                .function("wapc", "__console_log", FunctionType.i32s(2, 0), host::consoleLog)
                .build();
    }

    private long guestRequest(Instance guest, long[] arguments) {
        var conversation = conversations.apply(guest);
        guest.memory().write(unsigned(arguments[1]), conversation.payload());
        guest.memory().write(unsigned(arguments[0]), conversation.operation());
        return 0;
    }

    private long guestResponse(Instance guest, long[] arguments) {
        conversations.apply(guest).setResponse(bytes(guest, arguments, 0));
        return 0;
    }

    private long guestError(Instance guest, long[] arguments) {
        conversations.apply(guest).setError(GuestArguments.line(guest, arguments, 0, MAX_ERROR_BYTES));
        return 0;
    }

    private long hostCall(Instance guest, long[] arguments) {
        boolean answered = conversations
                .apply(guest)
                .callHost(
                        name(guest, arguments, 0),
                        name(guest, arguments, 2),
                        name(guest, arguments, 4),
                        bytes(guest, arguments, 6));
        return answered ? 1 : 0;
    }

    private HostFunction length(Function<WapcCallState, byte[]> part) {
        return (guest, _) -> part.apply(conversations.apply(guest)).length;
    }

    private HostFunction copy(Function<WapcCallState, byte[]> part) {
        return (guest, arguments) -> {
            guest.memory().write(unsigned(arguments[0]), part.apply(conversations.apply(guest)));
            return 0;
        };
    }

    private long consoleLog(Instance guest, long[] arguments) {
        var conversation = conversations.apply(guest);
        var quota = conversation.logQuota();
        if (!quota.isUsedUp(conversation.policyId())) {
            quota.admit(conversation.policyId(), GuestArguments.line(guest, arguments, 0, quota.lineLength()))
                    .ifPresent(text -> log.atInfo()
                            .addKeyValue("policy_id", conversation.policyId())
                            .addKeyValue("text", text)
                            .log("policy console"));
        }
        return 0;
    }
}
