package io.portcullis.api.evidence;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.revision.PolicyRevision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One generation of a policy as a replica serves it.
 *
 * @param id the policy's unique name
 * @param digests digests of the loaded modules by group member; the key is empty for a single policy
 * @param settingsHashes hashes of the settings of these modules, with the same keys
 * @param dataHash hash of the loaded revision; covers expression, message, limits and all other fields
 * @param mode {@code protect} or {@code monitor}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ServedGeneration(
        String id,
        long generation,
        Map<String, String> digests,
        Map<String, String> settingsHashes,
        String dataHash,
        String mode,
        boolean mayMutate) {

    public ServedGeneration {
        digests = Map.copyOf(digests);
        settingsHashes = Map.copyOf(settingsHashes);
    }

    /**
     * Returns what a replica reports when it serves exactly this revision. A replica takes {@code digests} from the modules
     * that it loaded. A digest that the leader reports for another module therefore proves nothing.
     *
     * @param digests digests of the modules, by member
     */
    public static ServedGeneration of(PolicyRevision revision, Map<String, String> digests) {
        var content = revision.getSpec();
        var kind = PolicyKind.parse(content.objectReference().kind()).orElseThrow();
        var spec = PolicySpec.read(kind, content.policySpec());
        return new ServedGeneration(
                content.policyID(),
                content.policyGeneration(),
                digests,
                settingsHashes(spec.content()),
                content.dataHash(),
                spec.placement().mode().wireName(),
                spec.isMutating());
    }

    /** Returns what every replica must report, given the digests that the leader resolved. */
    public static ServedGeneration expectedOf(PolicyRevision revision) {
        var digests = new TreeMap<String, String>();
        var status = revision.getStatus();
        if (status != null) {
            status.artifacts()
                    .forEach(artifact ->
                            digests.put(artifact.member() == null ? "" : artifact.member(), artifact.digest()));
        }
        return of(revision, digests);
    }

    /** Returns a digest of all served generations of one policy, independent of their order. */
    public static String digest(Collection<ServedGeneration> generations) {
        var text = generations.stream()
                .sorted(Comparator.comparingLong(ServedGeneration::generation))
                .map(ServedGeneration::fields)
                .flatMap(List::stream)
                // The length prefix makes the text unambiguous.
                .map(field -> field.length() + ":" + field)
                .collect(Collectors.joining());
        return HexFormat.of().formatHex(CanonicalJson.sha256(text));
    }

    private List<String> fields() {
        var fields =
                new ArrayList<>(List.of(id, Long.toString(generation), dataHash, mode, Boolean.toString(mayMutate)));
        for (var hashes : List.of(digests, settingsHashes)) {
            fields.add(Integer.toString(hashes.size()));
            new TreeMap<>(hashes).forEach((member, hash) -> fields.addAll(List.of(member, hash)));
        }
        return fields;
    }

    private static Map<String, String> settingsHashes(PolicyContent content) {
        return switch (content) {
            case PolicyContent.Single single -> Map.of("", hash(single.settings()));
            case PolicyContent.Group group -> {
                var hashes = new TreeMap<String, String>();
                group.policies().forEach((name, member) -> hashes.put(name, hash(member.settings())));
                yield hashes;
            }
        };
    }

    private static String hash(@Nullable JsonNode settings) {
        return CanonicalJson.digest(settings == null ? JsonNodeFactory.instance.objectNode() : settings);
    }
}
