package io.portcullis.controller.policyserver;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policyserver.PolicyServerSpec;

/** {@code sources.yml}: where policies may come from. JSON, which is YAML too. */
final class SourcesFile {

    static final String NAME = "sources.yml";

    private SourcesFile() {}

    /** The same sources always give the same text, whatever their order in the map. */
    static String of(PolicyServerSpec.Sources sources) {
        var file = JsonNodeFactory.instance.objectNode();
        var insecure = file.putArray("insecure_sources");
        sources.insecureSources().forEach(insecure::add);
        var authorities = file.putObject("source_authorities");
        sources.sourceAuthorities().forEach((host, certificates) -> {
            var list = authorities.putArray(host);
            certificates.forEach(
                    certificate -> list.addObject().put("type", "Data").put("data", certificate));
        });
        return CanonicalJson.text(file);
    }
}
