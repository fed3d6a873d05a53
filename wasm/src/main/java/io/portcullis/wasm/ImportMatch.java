package io.portcullis.wasm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The host imports that one module uses: only the functions it imports, and the memory with sizes that suit both
 * sides. Both engines link with this class, so that they reject the same modules with the same message.
 */
public record ImportMatch(
        Map<HostImports.Name, HostImports.Function> functions, Optional<HostImports.ImportedMemory> memory) {

    public ImportMatch {
        functions = Map.copyOf(functions);
    }

    /** @throws LinkException when an import is missing or has another type */
    public static ImportMatch of(List<ImportType> wanted, HostImports offered) {
        var functions = new LinkedHashMap<HostImports.Name, HostImports.Function>();
        var memory = Optional.<HostImports.ImportedMemory>empty();
        for (var one : wanted) {
            var name = new HostImports.Name(one.module(), one.name());
            switch (one.type()) {
                case ExternType.Function(var type) -> functions.put(name, function(name, type, offered));
                case ExternType.Memory declared -> memory = Optional.of(memory(name, declared, offered));
                case ExternType.Global _ -> throw missing(name, "a global");
                case ExternType.Table _ -> throw missing(name, "a table");
                case ExternType.Other _ -> throw missing(name, "a tag");
            }
        }
        return new ImportMatch(functions, memory);
    }

    private static HostImports.Function function(HostImports.Name name, FunctionType type, HostImports offered) {
        var function = offered.functions().get(name);
        if (function == null) {
            throw missing(name, "a function");
        }
        if (!function.type().equals(type)) {
            throw new LinkException("incompatible import type for `%s::%s`: the module wants %s, the host has %s"
                    .formatted(name.module(), name.name(), type, function.type()));
        }
        if (type.results().size() > 1) {
            throw new LinkException("the import `%s::%s` has several results, which no host function has"
                    .formatted(name.module(), name.name()));
        }
        return function;
    }

    private static HostImports.ImportedMemory memory(
            HostImports.Name name, ExternType.Memory declared, HostImports offered) {
        var memory = offered.memory()
                .filter(candidate -> candidate.name().equals(name))
                .orElseThrow(() -> missing(name, "a memory"));
        return new HostImports.ImportedMemory(
                name,
                Math.max(memory.minimumPages(), declared.minimumPages()),
                tighter(memory.maximumPages(), declared.maximumPages()));
    }

    private static OptionalLong tighter(OptionalLong one, OptionalLong other) {
        if (one.isEmpty()) {
            return other;
        }
        return other.isEmpty() ? one : OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong()));
    }

    private static LinkException missing(HostImports.Name name, String kind) {
        return new LinkException("unknown import: `%s::%s` has not been defined; the module wants %s of that name"
                .formatted(name.module(), name.name(), kind));
    }
}
