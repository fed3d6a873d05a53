package io.portcullis.capabilities.cluster;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.host.FieldMasks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectCacheTest {

    private static final ResourceType POD = new ResourceType("v1", "Pod", "pods", true);

    private final ObjectCache cache = new ObjectCache(POD, FieldMasks.of(List.of("spec.a")));

    @Test
    void listsObjectsWithTheirKindAndWithoutManagedFields() {
        cache.replace(
                List.of(
                        object(
                                "{'metadata':{'name':'p','namespace':'n','managedFields':[{'a':1}],'annotations':{'kubectl.kubernetes.io/last-applied-configuration':'x','k':'v'}},'spec':{'a':1,'b':2}}")));

        assertThatJson(new String(cache.list(), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{'apiVersion':'v1','kind':'PodList','metadata':{},'items':[{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','namespace':'n','managedFields':[],'annotations':{'k':'v'}},'spec':{'a':1}}]}");
    }

    @Test
    void returnsTheSameArrayUntilAnObjectChanges() {
        cache.replace(List.of(object("{'metadata':{'name':'p'}}")));
        var first = cache.list();

        assertThat(cache.list()).isSameAs(first);
        cache.put(object("{'metadata':{'name':'q'}}"));
        assertThat(cache.list()).isNotSameAs(first);
        cache.remove(object("{'metadata':{'name':'q'}}"));
        assertThat(cache.list()).isEqualTo(first);
    }

    private static ObjectNode object(String json) {
        try {
            return (ObjectNode) new ObjectMapper().readTree(json.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
