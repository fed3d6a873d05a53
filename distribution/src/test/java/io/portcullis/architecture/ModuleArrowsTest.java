package io.portcullis.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keeps the arrows of ARCHITECTURE.md: who may know whom, without cycles, and which names packages and classes may have. */
class ModuleArrowsTest {

    private static final String ROOT = "io.portcullis.";

    /** Module → the modules of ours it may depend on. */
    private static final Map<String, List<String>> MAY_DEPEND_ON = Map.ofEntries(
            entry("api"),
            entry("core", "api"),
            entry("wasm"),
            entry("process"),
            entry("matching", "api", "core"),
            entry("evaluator", "wasm", "api"),
            entry("artifacts", "api", "process"),
            entry("capabilities", "api", "wasm", "evaluator", "artifacts"),
            entry("server", "api", "core", "wasm", "evaluator", "artifacts", "capabilities", "process"),
            entry("controller", "api", "core", "wasm", "evaluator", "process"),
            entry("audit", "api", "core", "matching", "process"),
            entry("kwctl", "api", "core", "matching", "wasm", "evaluator", "artifacts", "capabilities", "process"));

    /** Names of classes that every program or package has. */
    private static final Set<String> REPEATED_NAMES = Set.of("Main", "package-info");

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

    @ParameterizedTest
    @MethodSource("modules")
    void packagesOfAModuleHaveNoCycles(String module) {
        SlicesRuleDefinition.slices()
                .assignedFrom(packagesIn(module))
                .should()
                .beFreeOfCycles()
                .check(PRODUCT);
    }

    @Test
    void classNamesAreUnique() {
        var packages = PRODUCT.stream()
                .filter(type -> type.isTopLevelClass() && !REPEATED_NAMES.contains(type.getSimpleName()))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getPackageName, Collectors.toList())));
        packages.values().removeIf(places -> places.size() == 1);

        assertThat(packages).isEmpty();
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

    private static SliceAssignment packagesIn(String module) {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return (type.getPackageName() + ".").startsWith(ROOT + module + ".")
                        ? SliceIdentifier.of(type.getPackageName())
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages of " + module;
            }
        };
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
