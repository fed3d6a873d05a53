package io.portcullis.kwctl.scan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.kwctl.cli.CommandException;
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
import io.portcullis.matching.AdmissionAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Evaluates the creation of objects with policies, in the same way as a cluster.
 *
 * <p>Calls only policies whose rules, selectors and conditions match. Mutating policies run first; each policy receives the
 * changes of the policies before it. Not thread-safe.
 */
public final class ManifestScan {

    private final Evaluation evaluation;
    private final Modules modules;
    private final ScanContext context;

    /**
     * The context that the objects themselves do not contain.
     *
     * @param namespace the namespace of objects that name none
     * @param namespaceLabels the labels of every namespace that is not among the scanned objects
     * @param catalogue the cached resource types of a cluster; may be missing
     */
    public record ScanContext(String namespace, Map<String, String> namespaceLabels, JsonNode catalogue) {}

    /** An object that a policy matches, with its index among all objects. */
    private record MatchedObject(int index, ScannedObject object, ObjectNode request) {}

    public ManifestScan(Evaluation evaluation, Modules modules, ScanContext context) {
        this.evaluation = evaluation;
        this.modules = modules;
        this.context = context;
    }

    /** Returns one finding for each object and policy, ordered by object. */
    public List<Finding> run(List<Definition> policies, List<ScannedObject> objects) {
        var catalogue = KnownKinds.catalogue(objects, context.catalogue());
        var labels = namespaceLabels(objects);
        var current = new ArrayList<JsonNode>(
                objects.stream().map(ScannedObject::object).toList());
        var findings = new ArrayList<List<Finding>>();
        objects.forEach(_ -> findings.add(new ArrayList<>()));
        for (var policy : mutatingFirst(policies)) {
            var check = MatchCheck.of(policy.resource());
            var matches = new ArrayList<MatchedObject>();
            for (var i = 0; i < objects.size(); i++) {
                var request = request(current.get(i), catalogue);
                try {
                    var skip = reasonToSkip(check, request, labels);
                    if (skip.isPresent()) {
                        findings.get(i).add(new Finding(objects.get(i), policy.id(), Verdict.SKIPPED, skip.get()));
                    } else {
                        matches.add(new MatchedObject(i, objects.get(i), request));
                    }
                } catch (CommandException e) {
                    // failurePolicy is Fail: the API server rejects the object without a call.
                    findings.get(i)
                            .add(new Finding(
                                    objects.get(i), policy.id(), Verdict.REJECTED, String.valueOf(e.getMessage())));
                }
            }
            if (!matches.isEmpty()) {
                evaluate(policy, matches, findings);
                matches.forEach(
                        match -> current.set(match.index(), match.request().path("object")));
            }
        }
        return findings.stream().flatMap(List::stream).toList();
    }

    /**
     * Evaluates a policy. Callers pass only policies with matching objects, so that others are neither fetched nor
     * compiled: a cluster may have hundreds.
     */
    private void evaluate(Definition policy, List<MatchedObject> matches, List<List<Finding>> findings) {
        var run = PolicyRun.of(policy, policy.entry(), modules);
        try (var loaded = evaluation.load(run, modules, new HostSession.Mode.Live())) {
            for (var match : matches) {
                findings.get(match.index()).add(finding(match.object(), run, loaded, match.request()));
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
            request.put("namespace", context.namespace());
        }
        return request;
    }

    private Optional<String> reasonToSkip(
            MatchCheck check, ObjectNode request, Map<String, Map<String, String>> labels) {
        return check.reasonToSkip(
                request, labels.getOrDefault(request.path("namespace").asText(), context.namespaceLabels()));
    }

    /** Returns the labels of the namespaces among the scanned objects. */
    private static Map<String, Map<String, String>> namespaceLabels(List<ScannedObject> objects) {
        var all = new TreeMap<String, Map<String, String>>();
        objects.stream()
                .map(ScannedObject::object)
                .filter(object -> object.path("kind").asText().equals("Namespace"))
                .forEach(namespace -> all.put(
                        namespace.path("metadata").path("name").asText(), AdmissionAttributes.labels(namespace)));
        return all;
    }

    /** Evaluates one object. Applies the policy's patch to the request. */
    private static Finding finding(ScannedObject object, PolicyRun run, LoadedPolicy loaded, ObjectNode request) {
        var verdict = loaded.audit(RequestDocument.of(request).forPolicy(run.isRaw()));
        var answer = loaded.enforce(verdict);
        answer.patch().ifPresent(patch -> request.set("object", PatchedObject.of(request.path("object"), patch)));
        return new Finding(object, run.id(), kind(verdict.response(), answer), message(verdict.response(), answer));
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
