package io.portcullis.controller.policyserver.spec;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.api.policyserver.PolicyServerSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The inputs for the objects of one PolicyServer.
 *
 * @param names of the objects
 * @param uid of the PolicyServer, which owns the objects
 */
public record ServerSpec(ServerNames names, String uid, PolicyServerSpec spec, ServerDefaults settings) {

    public static final String KIND = "PolicyServer";

    /** Throws {@code FlatObject.MalformedException} when the spec cannot be read. */
    public static ServerSpec of(PolicyServer server, ServerDefaults settings) {
        return new ServerSpec(
                new ServerNames(server.getMetadata().getName()),
                server.getMetadata().getUid(),
                server.read(),
                settings);
    }

    OwnerReference owner() {
        return new OwnerReferenceBuilder()
                .withApiVersion(PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                .withKind(KIND)
                .withName(names.server())
                .withUid(uid)
                .withController(true)
                .withBlockOwnerDeletion(true)
                .build();
    }

    public ObjectMetaBuilder metadata(String name, Map<String, String> labels) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(settings.namespace())
                .withLabels(labels)
                .withOwnerReferences(owner());
    }

    /** The service account of the pods. */
    public String serviceAccount() {
        var wanted = spec.container().serviceAccountName();
        return wanted == null || wanted.isEmpty() ? PolicyServerAccount.DEFAULT : wanted;
    }

    public boolean hasSources() {
        var sources = spec.sources();
        return !sources.insecureSources().isEmpty()
                || !sources.sourceAuthorities().isEmpty()
                || !sources.sourceAuthoritiesFrom().isEmpty();
    }

    public boolean hasSharedCache() {
        var cache = spec.serving().cache();
        return cache != null && cache.isShared();
    }

    public static boolean isSet(@Nullable String name) {
        return name != null && !name.isEmpty();
    }
}
