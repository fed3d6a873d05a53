package io.portcullis.kwctl.suite;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.ErrorText;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.match.MatchCheck;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.run.Evaluation;
import io.portcullis.kwctl.run.HostSession;
import io.portcullis.kwctl.run.InvalidSettingsException;
import io.portcullis.kwctl.run.Modules;
import io.portcullis.kwctl.run.PolicyFile;
import io.portcullis.kwctl.run.PolicyRun;
import io.portcullis.kwctl.run.RequestDocument;
import io.portcullis.kwctl.suite.TestSuite.Case;
import io.portcullis.kwctl.suite.TestSuite.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Runs suites, one case after the other. A case that cannot run counts as failed and does not stop the others. Not
 * thread-safe.
 */
public final class SuiteRunner implements AutoCloseable {

    private static final List<String> EVERYTHING = List.of("*");

    private final Evaluation evaluation;
    private final PolicyLocation source;

    /** Takes ownership of both arguments, and closes them. */
    public SuiteRunner(Evaluation evaluation, PolicyLocation source) {
        this.evaluation = evaluation;
        this.source = source;
    }

    public List<CaseResult> run(TestSuite suite) {
        var modules = new Modules(source);
        var results = new ArrayList<CaseResult>();
        for (var each : suite.cases()) {
            var start = System.nanoTime();
            var outcome = outcome(suite, each, modules);
            results.add(new CaseResult(
                    suite.name(),
                    each.name(),
                    each.expectation().mismatches(outcome),
                    Duration.ofNanos(System.nanoTime() - start)));
        }
        return results;
    }

    private CaseOutcome outcome(TestSuite suite, Case test, Modules modules) {
        try {
            return PolicyFile.isNamedBy(suite.policy()) ? ofFile(suite, test, modules) : ofModule(suite, test, modules);
        } catch (InvalidSettingsException e) {
            return new CaseOutcome.SettingsRejected(e.problem());
        } catch (RuntimeException e) {
            return broken(e);
        }
    }

    private static CaseOutcome broken(RuntimeException failure) {
        return new CaseOutcome.Broken(ErrorText.of(failure, false).strip());
    }

    private CaseOutcome ofModule(TestSuite suite, Case test, Modules modules) {
        var module = policy(suite);
        var prepared = modules.prepare(module, Optional.empty());
        var entry = new PolicyEntry.Single(
                new PolicyEntry.Module(
                        module,
                        test.settings().orElseGet(JsonNodeFactory.instance::objectNode),
                        prepared.metadata()
                                .map(PolicyMetadata::contextAwareResources)
                                .orElse(Set.of()),
                        Optional.empty(),
                        EVERYTHING),
                PolicyMode.PROTECT,
                true,
                Optional.empty());
        return judged(PolicyRun.of("policy-under-test", entry, modules), test, modules);
    }

    private CaseOutcome ofFile(TestSuite suite, Case test, Modules modules) {
        var file = suite.file().resolveSibling(suite.policy());
        var definitions =
                PolicyFile.parse(file.toString(), TextFile.read(file, "Cannot open YAML file " + file), EVERYTHING);
        if (definitions.size() != 1) {
            throw new CommandException(file + " holds " + definitions.size() + " policies; a suite tests one");
        }
        var definition = definitions.getFirst();
        var skip = MatchCheck.of(definition.resource())
                .reasonToSkip(request(test).admissionRequest(), test.namespaceLabels());
        return skip.isPresent()
                ? new CaseOutcome.Skipped(skip.get())
                : judged(PolicyRun.of(definition, withSettings(definition.entry(), test), modules), test, modules);
    }

    /** Replaces the settings of the resource with those of the case. Groups keep their own settings. */
    private static PolicyEntry withSettings(PolicyEntry entry, Case test) {
        return switch (entry) {
            case PolicyEntry.Group group -> group;
            case PolicyEntry.Single(var module, var mode, var mutates, var message) ->
                new PolicyEntry.Single(
                        new PolicyEntry.Module(
                                module.module(),
                                test.settings().orElse(module.settings()),
                                module.contextAwareResources(),
                                module.contextNamespace(),
                                module.timeout(),
                                module.hostCapabilities()),
                        mode,
                        mutates,
                        message);
        };
    }

    private CaseOutcome judged(PolicyRun policy, Case test, Modules modules) {
        HostSession.Mode mode = test.session().isPresent()
                ? HostSession.Mode.Replayed.load(test.session().get())
                : new HostSession.Mode.Live();
        return new CaseOutcome.Evaluated(evaluation.judge(policy, request(test), modules, mode));
    }

    /** Returns the policy argument. Resolves paths against the suite's directory; URIs and SHA prefixes stay unchanged. */
    private static String policy(TestSuite suite) {
        var beside = suite.file().resolveSibling(suite.policy());
        return !suite.policy().contains("://") && beside.toFile().isFile() ? beside.toString() : suite.policy();
    }

    private static RequestDocument request(Case test) {
        return switch (test.subject()) {
            case Subject.InlineRequest(var json) -> RequestDocument.of(json);
            case Subject.RequestFile(var file) -> RequestDocument.parse(read(file));
            case Subject.InlineObject(var object) -> RequestDocument.ofCreation(object, MissingNode.getInstance());
            case Subject.ObjectFile(var file) ->
                RequestDocument.ofCreation(YamlDocuments.parse(read(file)), MissingNode.getInstance());
        };
    }

    private static String read(Path file) {
        return TextFile.read(file, "cannot read " + file);
    }

    @Override
    public void close() {
        evaluation.close();
        source.close();
    }
}
