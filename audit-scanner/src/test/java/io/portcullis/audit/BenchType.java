package io.portcullis.audit;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Locale;

/** Object types of the benchmark; each type has a quarter of the objects. */
enum BenchType {
    PODS {
        @Override
        HasMetadata create(int number) {
            return new PodBuilder()
                    .withNewMetadata()
                    .withName("object-" + number)
                    .withNamespace(namespace(number))
                    .addToLabels("app", "app-" + number % 100)
                    .endMetadata()
                    .withNewSpec()
                    .addNewContainer()
                    .withName("main")
                    .withImage("nowhere/nothing:1")
                    .withNewSecurityContext()
                    .withPrivileged(number % 3 == 0)
                    .endSecurityContext()
                    .endContainer()
                    .endSpec()
                    .build();
        }
    },
    CONFIGMAPS {
        @Override
        HasMetadata create(int number) {
            return new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("object-" + number)
                    .withNamespace(namespace(number))
                    .addToLabels(number % 3 == 0 ? "forbidden" : "allowed", "yes")
                    .endMetadata()
                    .addToData("settings", "x".repeat(2000))
                    .build();
        }
    },
    SERVICES {
        @Override
        HasMetadata create(int number) {
            return new ServiceBuilder()
                    .withNewMetadata()
                    .withName("object-" + number)
                    .withNamespace(namespace(number))
                    .endMetadata()
                    .withNewSpec()
                    .withClusterIP("None")
                    .addToSelector("app", "app-" + number % 100)
                    .endSpec()
                    .build();
        }
    },
    SECRETS {
        @Override
        HasMetadata create(int number) {
            return new SecretBuilder()
                    .withNewMetadata()
                    .withName("object-" + number)
                    .withNamespace(namespace(number))
                    .endMetadata()
                    .addToStringData("key", "x".repeat(500))
                    .build();
        }
    };

    static final int NAMESPACES = 20;

    abstract HasMetadata create(int number);

    /** Spreads objects of every type over all namespaces. */
    private static String namespace(int number) {
        return "bench-" + number / values().length % NAMESPACES;
    }

    String plural() {
        return name().toLowerCase(Locale.ROOT);
    }
}
