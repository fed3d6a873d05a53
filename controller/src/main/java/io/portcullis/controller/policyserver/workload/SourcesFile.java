package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policyserver.PolicyServerSpec;

/** Renders {@code sources.yml}: the sources that policies may come from. The format is JSON, which is valid YAML. */
final class SourcesFile {

    static final String NAME = "sources.yml";

    private SourcesFile() {}

    /** Equal sources give equal text, whatever their order in the map. */
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
