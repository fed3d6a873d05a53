package io.portcullis.controller;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Our resource definitions, as the chart has them. */
public final class ResourceDefinitions {

    private ResourceDefinitions() {}

    /** They stay: removing one takes a while, and the next test wants it. */
    public static void apply(KubernetesClient client) throws IOException {
        var directory = Checkout.current().root().resolve("charts/portcullis-crds/templates");
        try (var files = Files.list(directory)) {
            for (var file : files.filter(f -> f.getFileName().toString().startsWith("policies."))
                    .sorted()
                    .toList()) {
                try (var in = Files.newInputStream(file)) {
                    client.load(in)
                            .items()
                            .forEach(item ->
                                    client.resource(item).forceConflicts().serverSideApply());
                }
            }
        }
        for (var plural : List.of(
                "policyservers",
                "policyrevisions",
                "admissionpolicies",
                "clusteradmissionpolicies",
                "admissionpolicygroups",
                "clusteradmissionpolicygroups")) {
            client.apiextensions()
                    .v1()
                    .customResourceDefinitions()
                    .withName(plural + ".policies.kubewarden.io")
                    .waitUntilCondition(
                            crd -> crd != null
                                    && crd.getStatus() != null
                                    && crd.getStatus().getConditions().stream()
                                            .anyMatch(condition -> condition
                                                            .getType()
                                                            .equals("Established")
                                                    && condition.getStatus().equals("True")),
                            30,
                            TimeUnit.SECONDS);
        }
    }
}
