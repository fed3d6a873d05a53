package io.portcullis.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps the arrows of ARCHITECTURE.md: who may know whom, and what no package may be called. */
class ModuleArrowsTest {

    private static final String ROOT = "io.portcullis.";

    /** Module → the modules of ours it may depend on. */
    private static final Map<String, List<String>> MAY_DEPEND_ON = Map.ofEntries(
            entry("api"),
            entry("core", "api"),
            entry("wasm"),
            entry("process"),
            entry("evaluator", "wasm", "api"),
            entry("artifacts", "api", "process"),
            entry("capabilities", "api", "wasm", "evaluator", "artifacts"),
            entry("server", "api", "core", "wasm", "evaluator", "artifacts", "capabilities", "process"),
            entry("controller", "api", "core", "wasm", "evaluator", "process"),
            entry("audit", "api", "core", "process"),
            entry("kwctl", "api", "core", "wasm", "evaluator", "artifacts", "capabilities", "process"));

    private static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.portcullis");

    static Stream<String> modules() {
        return MAY_DEPEND_ON.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("modules")
    void moduleKnowsOnlyWhatStandsAboveIt(String module) {
        var allowed = Stream.concat(Stream.of(module), MAY_DEPEND_ON.getOrDefault(module, List.of()).stream())
                .map(ModuleArrowsTest::packagesOf)
                .toList();

        noClasses()
                .that()
                .resideInAPackage(packagesOf(module))
                .should()
                .dependOnClassesThat(oursButNotIn(allowed))
                .check(PRODUCT);
    }

    @Test
    void evaluatorKnowsNeitherHttpNorKubernetes() {
        noClasses()
                .that()
                .resideInAnyPackage(packagesOf("evaluator"), packagesOf("wasm"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.fabric8..", "io.helidon..", "java.net.http..")
                .check(PRODUCT);
    }

    @Test
    void decisionsOfTheCoreDoNoIo() {
        noClasses()
                .that()
                .resideInAPackage(packagesOf("core"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.net.http..",
                        "java.nio.file..",
                        "java.nio.channels..",
                        "java.sql..",
                        "java.util.concurrent..",
                        "io.fabric8.kubernetes.client..",
                        "org.slf4j..")
                .check(PRODUCT);
    }

    @Test
    void noPackageIsADrawer() {
        noClasses()
                .should()
                .resideInAnyPackage("..util..", "..utils..", "..common..", "..impl..", "..helper..")
                .check(PRODUCT);
    }

    @Test
    void everyPackageSaysWhatItIsFor() {
        classes().should(liveInADocumentedPackage()).check(PRODUCT);
    }

    private static Map.Entry<String, List<String>> entry(String module, String... mayDependOn) {
        return Map.entry(module, List.of(mayDependOn));
    }

    private static String packagesOf(String module) {
        return ROOT + module + "..";
    }

    private static DescribedPredicate<JavaClass> oursButNotIn(List<String> allowed) {
        return JavaClass.Predicates.resideInAPackage(ROOT + ".")
                .and(DescribedPredicate.not(JavaClass.Predicates.resideInAnyPackage(allowed.toArray(String[]::new))));
    }

    private static ArchCondition<JavaClass> liveInADocumentedPackage() {
        return new ArchCondition<>("live in a package with package-info") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                var documented = type.getPackage().tryGetPackageInfo().isPresent();
                events.add(new SimpleConditionEvent(type, documented, type.getPackageName() + " has no package-info"));
            }
        };
    }
}
