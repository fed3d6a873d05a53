package io.portcullis.evaluator.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.testing.Modules;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.engine.WasmEngines;
import org.junit.jupiter.api.Test;

class CodeBudgetTest {

    private static final long MIB = 1 << 20;

    private final CodeBudget budget = new CodeBudget(10 * MIB);

    private static CompiledModule module() {
        return WasmEngines.endive().compile(Modules.empty());
    }

    @Test
    void countsCodeUntilTheModuleIsClosed() {
        var first = budget.load(4 * MIB, CodeBudgetTest::module);
        var second = budget.load(6 * MIB, CodeBudgetTest::module);
        assertThat(budget.usedBytes()).isEqualTo(10 * MIB);
        first.close();
        first.close();
        assertThat(budget.usedBytes()).isEqualTo(6 * MIB);
        second.close();
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void rejectsCodeThatDoesNotFit() {
        try (var _ = budget.load(8 * MIB, CodeBudgetTest::module)) {
            assertThatThrownBy(() -> budget.load(3 * MIB, CodeBudgetTest::module))
                    .isInstanceOfSatisfying(
                            PolicyLoadException.class,
                            e -> assertThat(e.reason()).isEqualTo(PolicyLoadException.Reason.PREPARATION_FAILED))
                    .hasMessageContaining("3 MiB")
                    .hasMessageContaining("10 MiB for the code of all modules 8 MiB are in use")
                    .hasMessageContaining("--compiled-code-memory");
            assertThat(budget.usedBytes()).isEqualTo(8 * MIB);
        }
    }

    @Test
    void doesNotCountCodeThatFailsToLoad() {
        assertThatThrownBy(() -> budget.load(MIB, () -> {
                    throw new InvalidModuleException("damaged");
                }))
                .isInstanceOf(InvalidModuleException.class);
        assertThat(budget.usedBytes()).isZero();
    }
}
