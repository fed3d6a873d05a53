package io.portcullis.audit;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Locale;

/** What the bench audits: a quarter of the objects each. */
enum BenchType {
    PODS {
        @Override
        HasMetadata make(int number) {
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
        HasMetadata make(int number) {
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
        HasMetadata make(int number) {
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
        HasMetadata make(int number) {
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

    abstract HasMetadata make(int number);

    /** Objects of all types are spread over all of them. */
    private static String namespace(int number) {
        return "bench-" + number / values().length % NAMESPACES;
    }

    String plural() {
        return name().toLowerCase(Locale.ROOT);
    }
}
