package io.portcullis.api.yaml;

import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Leaves unquoted, untagged scalars uninterpreted. {@link YamlDocuments} interprets them, because the library would apply the
 * rules of YAML 1.1.
 */
final class PlainScalars extends Resolver {

    private static final Tag PLAIN = new Tag("plain");

    static boolean isPlain(ScalarNode node) {
        return node.getTag().equals(PLAIN);
    }

    @Override
    protected void addImplicitResolvers() {
        // None.
    }

    @Override
    public Tag resolve(NodeId kind, String value, boolean implicit) {
        return kind == NodeId.scalar && implicit ? PLAIN : super.resolve(kind, value, implicit);
    }
}
