package io.portcullis.wasm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The imports that a host provides to a module: functions, and a memory for Rego modules. Immutable. */
public final class HostImports {

    /** A name in a module's import space. */
    public record Name(String module, String name) {}

    /** A host function and its type. */
    public record Function(FunctionType type, HostFunction body) {}

    /** A memory that the host creates for each instance. */
    public record ImportedMemory(Name name, long minimumPages, OptionalLong maximumPages) {}

    private final Map<Name, Function> functions;
    private final Optional<ImportedMemory> memory;

    private HostImports(Builder builder) {
        this.functions = Map.copyOf(builder.functions);
        this.memory = Optional.ofNullable(builder.memory);
    }

    public Map<Name, Function> functions() {
        return functions;
    }

    public Optional<ImportedMemory> memory() {
        return memory;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects imports; a later definition replaces an earlier one of the same name. */
    public static final class Builder {
        private final Map<Name, Function> functions = new LinkedHashMap<>();
        private @Nullable ImportedMemory memory;

        private Builder() {}

        public Builder function(String module, String name, FunctionType type, HostFunction body) {
            functions.put(new Name(module, name), new Function(type, body));
            return this;
        }

        public Builder memory(String module, String name, long minimumPages, OptionalLong maximumPages) {
            memory = new ImportedMemory(new Name(module, name), minimumPages, maximumPages);
            return this;
        }

        public Builder include(HostImports others) {
            functions.putAll(others.functions);
            others.memory.ifPresent(offered -> memory = offered);
            return this;
        }

        public HostImports build() {
            return new HostImports(this);
        }
    }
}
