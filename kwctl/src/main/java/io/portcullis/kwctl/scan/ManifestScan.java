package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.kwctl.manifest.AdmissionRequests;
import io.portcullis.kwctl.manifest.AdmissionRequests.Operation;
import io.portcullis.kwctl.match.MatchCheck;
import io.portcullis.kwctl.run.Evaluation;
import io.portcullis.kwctl.run.HostSession;
import io.portcullis.kwctl.run.Modules;
import io.portcullis.kwctl.run.PatchedObject;
import io.portcullis.kwctl.run.PolicyFile.Definition;
import io.portcullis.kwctl.run.PolicyRun;
import io.portcullis.kwctl.run.RequestDocument;
import io.portcullis.kwctl.scan.Finding.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Asks policies about the creation of objects, as a cluster would: only those whose rules, selectors and conditions match, those that
 * mutate first, each seeing what the ones before it have changed. Used by one thread.
 */
public final class ManifestScan {

    private final Evaluation evaluation;
    private final Modules modules;
    private final Surroundings surroundings;

    /**
     * What is not written in the objects themselves.
     *
     * @param namespace where objects go that name none
     * @param namespaceLabels of every namespace whose labels are not scanned along
     * @param catalogue of resources that a cluster was asked for earlier; may be missing
     */
    public record Surroundings(String namespace, Map<String, String> namespaceLabels, JsonNode catalogue) {}

    /** An object that a policy means, the index-th of all. */
    private record Question(int index, ScannedObject object, ObjectNode request) {}

    public ManifestScan(Evaluation evaluation, Modules modules, Surroundings surroundings) {
        this.evaluation = evaluation;
        this.modules = modules;
        this.surroundings = surroundings;
    }

    /** One finding for each object and policy, ordered by object. */
    public List<Finding> run(List<Definition> policies, List<ScannedObject> objects) {
        var catalogue = KnownKinds.catalogue(objects, surroundings.catalogue());
        var labels = namespaceLabels(objects);
        var current = new ArrayList<JsonNode>(
                objects.stream().map(ScannedObject::object).toList());
        var findings = new ArrayList<List<Finding>>();
        objects.forEach(_ -> findings.add(new ArrayList<>()));
        for (var policy : mutatingFirst(policies)) {
            var questions = new ArrayList<Question>();
            for (var i = 0; i < objects.size(); i++) {
                var request = request(current.get(i), catalogue);
                var skip = reasonToSkip(policy, request, labels);
                if (skip.isPresent()) {
                    findings.get(i).add(new Finding(objects.get(i), policy.id(), Verdict.SKIPPED, skip.get()));
                } else {
                    questions.add(new Question(i, objects.get(i), request));
                }
            }
            if (!questions.isEmpty()) {
                ask(policy, questions, findings);
                questions.forEach(question ->
                        current.set(question.index(), question.request().path("object")));
            }
        }
        return findings.stream().flatMap(List::stream).toList();
    }

    /** Only a policy that has something to judge is fetched and compiled: a cluster may have hundreds. */
    private void ask(Definition policy, List<Question> questions, List<List<Finding>> findings) {
        var run = PolicyRun.of(policy.id(), policy.entry(), modules);
        try (var loaded = evaluation.load(run, modules, new HostSession.Mode.Live())) {
            for (var question : questions) {
                findings.get(question.index()).add(finding(question.object(), run, loaded, question.request()));
            }
        }
    }

    private static List<Definition> mutatingFirst(List<Definition> policies) {
        var sorted = new ArrayList<>(policies);
        sorted.sort(Comparator.comparing(
                policy -> !(policy.entry() instanceof PolicyEntry.Single single && single.allowedToMutate())));
        return Collections.unmodifiableList(sorted);
    }

    private ObjectNode request(JsonNode object, JsonNode catalogue) {
        var request = AdmissionRequests.of(Operation.CREATE, Optional.of(object), Optional.empty(), catalogue)
                .request();
        if (request.has("namespace") && !object.path("metadata").hasNonNull("namespace")) {
            request.put("namespace", surroundings.namespace());
        }
        return request;
    }

    private Optional<String> reasonToSkip(
            Definition policy, ObjectNode request, Map<String, Map<String, String>> labels) {
        return MatchCheck.reasonToSkip(
                policy.resource(),
                request,
                labels.getOrDefault(request.path("namespace").asText(), surroundings.namespaceLabels()));
    }

    /** The labels of namespaces that are created along with what is in them. */
    private static Map<String, Map<String, String>> namespaceLabels(List<ScannedObject> objects) {
        var all = new TreeMap<String, Map<String, String>>();
        objects.stream()
                .map(ScannedObject::object)
                .filter(object -> object.path("kind").asText().equals("Namespace"))
                .forEach(namespace -> {
                    var labels = new TreeMap<String, String>();
                    namespace
                            .path("metadata")
                            .path("labels")
                            .properties()
                            .forEach(label ->
                                    labels.put(label.getKey(), label.getValue().asText()));
                    all.put(namespace.path("metadata").path("name").asText(), labels);
                });
        return all;
    }

    /** Leaves what the policy changed in the request. */
    private static Finding finding(ScannedObject object, PolicyRun run, LoadedPolicy loaded, ObjectNode request) {
        var verdict = loaded.audit(RequestDocument.of(request).forPolicy(run.isRaw()));
        var answer = loaded.enforce(verdict);
        answer.patch().ifPresent(patch -> request.set("object", PatchedObject.of(request.path("object"), patch)));
        return new Finding(object, run.id(), kind(verdict, answer), message(verdict, answer));
    }

    private static Verdict kind(AdmissionResponse verdict, AdmissionResponse answer) {
        if (!answer.allowed()) {
            return Verdict.REJECTED;
        }
        if (!verdict.allowed()) {
            return Verdict.MONITORED;
        }
        return answer.patch().isPresent() ? Verdict.MUTATED : Verdict.ALLOWED;
    }

    private static String message(AdmissionResponse verdict, AdmissionResponse answer) {
        return (answer.allowed() ? verdict : answer)
                .status()
                .flatMap(Status::message)
                .orElse("");
    }
}
