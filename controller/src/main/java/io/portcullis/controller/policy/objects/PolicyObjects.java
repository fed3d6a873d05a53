package io.portcullis.controller.policy.objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.core.precedence.OptIn;
import io.portcullis.process.kubernetes.OwnWrites;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The current policies, revisions and webhooks: the watch caches, overlaid with our own writes. Must be created before
 * the watches start, because it adds indexes.
 */
public final class PolicyObjects {

    /** An index value for every key; real keys are not empty. */
    private static final String ANY_KEY = "";

    private final ClusterView view;
    private final OwnWrites own;
    private final Map<PolicyKind, Function<String, ? extends List<? extends Policy>>> byId =
            new EnumMap<>(PolicyKind.class);
    private final Map<PolicyKind, Function<String, ? extends List<? extends Policy>>> byServer =
            new EnumMap<>(PolicyKind.class);
    private final Map<PolicyKind, Function<String, ? extends List<? extends Policy>>> byPrecedence =
            new EnumMap<>(PolicyKind.class);
    private final Function<String, List<PolicyRevision>> revisionsByUid;

    public PolicyObjects(ClusterView view, OwnWrites own, IdentityScheme scheme) {
        this.view = view;
        this.own = own;
        for (PolicyKind kind : PolicyKind.values()) {
            var watched = view.policies(kind);
            byId.put(kind, watched.indexedBy("policy-id", policy -> List.of(scheme.policyId(policy.ref()))));
            byServer.put(kind, watched.indexedBy("policy-server", policy -> List.of(policy.policyServerName())));
            byPrecedence.put(kind, watched.indexedBy("precedence", PolicyObjects::precedence));
            follow(watched);
        }
        revisionsByUid = view.revisions()
                .indexedBy(
                        "policy-uid",
                        revision -> List.of(revision.getSpec().objectReference().uid()));
        follow(view.revisions());
        follow(view.validatingWebhooks());
        follow(view.mutatingWebhooks());
    }

    private void follow(Watched<? extends HasMetadata> watched) {
        watched.onChange((before, after) -> {
            if (after == null) {
                own.watchedDeletion(Objects.requireNonNull(before));
            } else {
                own.watched(after);
            }
        });
    }

    public Optional<Policy> policy(PolicyRef ref) {
        return own.newest(Policy.class, ref.kind().wireName(), ref.namespace(), ref.name(), view.policy(ref));
    }

    public Stream<Policy> policies() {
        return view.policies();
    }

    /** Several policies when names can collide. */
    public List<Policy> withId(String policyId) {
        return select(byId, policyId);
    }

    public List<Policy> ofServer(String policyServer) {
        return select(byServer, policyServer);
    }

    /** The policies that take part in precedence with this key, in their latest version. */
    public List<Policy> withKey(String key) {
        return select(byPrecedence, key).stream()
                .flatMap(policy -> policy(policy.ref()).stream())
                .filter(policy -> OptIn.of(policy).key().filter(key::equals).isPresent())
                .toList();
    }

    /** The policies that take part in precedence with any key. */
    public List<Policy> withAnyKey() {
        return select(byPrecedence, ANY_KEY);
    }

    private static List<String> precedence(Policy policy) {
        return OptIn.of(policy).key().map(key -> List.of(key, ANY_KEY)).orElse(List.of());
    }

    private static List<Policy> select(
            Map<PolicyKind, Function<String, ? extends List<? extends Policy>>> index, String value) {
        return index.values().stream()
                .<Policy>flatMap(policies -> policies.apply(value).stream())
                .toList();
    }

    public List<PolicyRevision> revisions(String policyUid) {
        return own.newest(
                PolicyRevision.class,
                revisionsByUid.apply(policyUid),
                revision -> revision.getSpec().objectReference().uid().equals(policyUid));
    }

    public List<PolicyRevision> revisions() {
        return own.newest(PolicyRevision.class, view.revisions().all(), _ -> true);
    }

    public Optional<ValidatingWebhookConfiguration> validatingWebhook(String policyId) {
        return own.newest(
                ValidatingWebhookConfiguration.class,
                "ValidatingWebhookConfiguration",
                "",
                policyId,
                view.validatingWebhooks().get("", policyId));
    }

    public Optional<MutatingWebhookConfiguration> mutatingWebhook(String policyId) {
        return own.newest(
                MutatingWebhookConfiguration.class,
                "MutatingWebhookConfiguration",
                "",
                policyId,
                view.mutatingWebhooks().get("", policyId));
    }

    /** All webhook configurations with our label, of both kinds. */
    public List<HasMetadata> webhooks() {
        return Stream.<HasMetadata>concat(
                        own
                                .newest(
                                        ValidatingWebhookConfiguration.class,
                                        view.validatingWebhooks().all(),
                                        _ -> true)
                                .stream(),
                        own
                                .newest(
                                        MutatingWebhookConfiguration.class,
                                        view.mutatingWebhooks().all(),
                                        _ -> true)
                                .stream())
                .toList();
    }
}
