package io.portcullis.server.cluster.initialization;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.core.tenancy.ModuleReference;
import io.portcullis.core.tenancy.PolicyUse;
import io.portcullis.core.tenancy.PolicyUse.NamespaceUse;
import io.portcullis.core.tenancy.TenancyRules;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.PolicyLoadSpec;
import io.portcullis.server.cluster.revisions.PolicyLoadSpecs;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Checks a revision against the tenancy rules of its PolicyServer before its modules are fetched. Admission makes the same
 * decision earlier. This check applies when the controller is stale, or when the rules are newer than the policy.
 */
public final class TenancyCheck {

    private final TenancySource source;

    public TenancyCheck(TenancySource source) {
        this.source = source;
    }

    /** Returns why the revision must not be initialised; empty if it may be. Reads from the API server. */
    Optional<InitializationOutcome.Failed> failure(
            ObservedRevision revision, PolicyLoadSpec.Usable loadSpec, NamespaceUse olderUse) {
        try {
            var rules = source.rules();
            var policy = policyOf(revision);
            var needsLabels = policy.kind().isNamespaced() && rules.tenancy().namespaceSelector() != null;
            var labels =
                    needsLabels ? source.namespaceLabels(policy.namespace()) : Optional.<Map<String, String>>empty();
            var violations = rules.check(
                    new PolicyUse(policy, references(loadSpec), contextAwareResources(loadSpec), labels, olderUse));
            return violations.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            InitializationOutcome.failed(Reason.TENANCY_VIOLATION, TenancyRules.summary(violations)));
        } catch (KubernetesClientException | FlatObject.MalformedException e) {
            return Optional.of(InitializationOutcome.failed(
                    Reason.INTERNAL_ERROR, "cannot read the tenancy rules of the PolicyServer: " + e.getMessage()));
        }
    }

    /**
     * Returns the modules that older policies of the same namespace use. A policy is as old as its oldest revision.
     *
     * @param all all revisions of this server
     */
    static NamespaceUse olderUse(
            ObservedRevision revision, Collection<ObservedRevision> all, PolicyLoadSpecs loadSpecs) {
        var own = policyOf(revision);
        if (!own.kind().isNamespaced()) {
            return NamespaceUse.NONE;
        }
        var ofNamespace = all.stream()
                .filter(other ->
                        other.isEnabled() && policyOf(other).namespace().equals(own.namespace()))
                .toList();
        var oldest = new LinkedHashMap<String, ObservedRevision>();
        ofNamespace.forEach(other ->
                oldest.merge(other.policyId(), other, (left, right) -> left.isYoungerThan(right) ? right : left));
        var ownOldest = oldest.getOrDefault(revision.policyId(), revision);
        var use = NamespaceUse.NONE;
        for (var other : oldest.values()) {
            if (!other.policyId().equals(revision.policyId()) && ownOldest.isYoungerThan(other)) {
                use = use.plus(newest(other.policyId(), ofNamespace, loadSpecs));
            }
        }
        return use;
    }

    private static Collection<Optional<ModuleReference>> newest(
            String policyId, Collection<ObservedRevision> revisions, PolicyLoadSpecs loadSpecs) {
        return revisions.stream()
                .filter(revision -> revision.policyId().equals(policyId))
                .max(Comparator.comparingLong(ObservedRevision::generation))
                .map(loadSpecs::of)
                .filter(PolicyLoadSpec.Usable.class::isInstance)
                .map(loadSpec -> references((PolicyLoadSpec.Usable) loadSpec).values())
                .orElseGet(java.util.List::of);
    }

    private static PolicyRef policyOf(ObservedRevision revision) {
        var reference = revision.spec().objectReference();
        return new PolicyRef(
                PolicyKind.parse(reference.kind()).orElse(PolicyKind.ADMISSION_POLICY),
                Objects.requireNonNullElse(reference.namespace(), ""),
                reference.name());
    }

    /** Parses the references with the parser that fetching uses: both must agree on the meaning of a reference. */
    private static Map<String, Optional<ModuleReference>> references(PolicyLoadSpec.Usable loadSpec) {
        var references = new LinkedHashMap<String, Optional<ModuleReference>>();
        loadSpec.modules()
                .forEach((member, module) -> references.put(
                        member.isEmpty() ? "spec.module" : "spec.policies[" + member + "].module",
                        reference(module.module())));
        return references;
    }

    /** Returns what the loaded policy may read: the grants themselves, not the fields that they were made from. */
    private static Map<String, Set<ContextAwareResource>> contextAwareResources(PolicyLoadSpec.Usable loadSpec) {
        var resources = new LinkedHashMap<String, Set<ContextAwareResource>>();
        loadSpec.modules().forEach((member, module) -> {
            if (!module.contextAwareResources().isEmpty()) {
                resources.put(PolicyUse.contextField(member), module.contextAwareResources());
            }
        });
        return resources;
    }

    static Optional<ModuleReference> reference(String url) {
        try {
            return switch (PolicyUri.parse(url)) {
                case PolicyUri.Registry(var image) ->
                    ModuleReference.registry(
                            image.registry(),
                            image.repository(),
                            image.tag().map(tag -> ":" + tag).orElse("")
                                    + image.digest().map(digest -> "@" + digest).orElse(""));
                case PolicyUri.Web web ->
                    Optional.of(new ModuleReference(
                            web.uri().getScheme(),
                            web.host(),
                            web.uri().getRawPath().substring(1),
                            web.uri().getRawQuery() == null
                                    ? ""
                                    : "?" + web.uri().getRawQuery()));
                case PolicyUri.LocalFile(var path) -> Optional.of(new ModuleReference("file", "", path.toString(), ""));
            };
        } catch (ArtifactException e) {
            return Optional.empty();
        }
    }
}
