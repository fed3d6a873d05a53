package io.portcullis.hostile;

import io.portcullis.testkit.hostile.HostileModules;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** One way to hurt a policy server. Each is bounded in connections and time and leaves nothing open. */
sealed interface Attack permits ClientAttack, ModuleAttack {

    String name();

    /** Attacks for about the given time. */
    void run(LimitedServer server, Duration duration) throws IOException, InterruptedException;

    static List<Attack> all() {
        return Stream.concat(ClientAttack.ALL.stream(), modules()).toList();
    }

    private static Stream<Attack> modules() {
        return Stream.of(
                new ModuleAttack("a name of two gigabytes", HostileModules.hugeName()),
                new ModuleAttack("four billion names", HostileModules.manyNames()),
                new ModuleAttack("a memory of 256 MiB", HostileModules.largeMemory(4096)),
                new ModuleAttack("forty memories", HostileModules.manyMemories(40, 900)),
                new ModuleAttack("four hundred small memories", HostileModules.manyMemories(400, 1)),
                new ModuleAttack("expensive to compile", HostileModules.expensiveToCompile(1, 1_000_000, 20_000)),
                new ModuleAttack("many expensive functions", HostileModules.expensiveToCompile(50, 60_000, 5_000)),
                new ModuleAttack("endless logging", HostileModules.endlessLogging()));
    }
}
