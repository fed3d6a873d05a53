package io.portcullis.kwctl.manifest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The built-in kinds of Kubernetes with their plural names. Requests for them can be built without a cluster. */
final class BuiltInResources {

    /** The plural name of a kind in URLs, and whether the kind is namespaced. */
    record Resource(String plural, boolean namespaced) {}

    private static final String TABLE = """
            v1 Pod pods namespaced
            v1 Service services namespaced
            v1 ConfigMap configmaps namespaced
            v1 Secret secrets namespaced
            v1 ServiceAccount serviceaccounts namespaced
            v1 Endpoints endpoints namespaced
            v1 Event events namespaced
            v1 LimitRange limitranges namespaced
            v1 PersistentVolumeClaim persistentvolumeclaims namespaced
            v1 PodTemplate podtemplates namespaced
            v1 ReplicationController replicationcontrollers namespaced
            v1 ResourceQuota resourcequotas namespaced
            v1 Binding bindings namespaced
            v1 Namespace namespaces cluster
            v1 Node nodes cluster
            v1 PersistentVolume persistentvolumes cluster
            apps/v1 Deployment deployments namespaced
            apps/v1 DaemonSet daemonsets namespaced
            apps/v1 StatefulSet statefulsets namespaced
            apps/v1 ReplicaSet replicasets namespaced
            apps/v1 ControllerRevision controllerrevisions namespaced
            batch/v1 Job jobs namespaced
            batch/v1 CronJob cronjobs namespaced
            autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced
            autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced
            networking.k8s.io/v1 Ingress ingresses namespaced
            networking.k8s.io/v1 NetworkPolicy networkpolicies namespaced
            networking.k8s.io/v1 IngressClass ingressclasses cluster
            networking.k8s.io/v1 IPAddress ipaddresses cluster
            networking.k8s.io/v1 ServiceCIDR servicecidrs cluster
            policy/v1 PodDisruptionBudget poddisruptionbudgets namespaced
            rbac.authorization.k8s.io/v1 Role roles namespaced
            rbac.authorization.k8s.io/v1 RoleBinding rolebindings namespaced
            rbac.authorization.k8s.io/v1 ClusterRole clusterroles cluster
            rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings cluster
            coordination.k8s.io/v1 Lease leases namespaced
            discovery.k8s.io/v1 EndpointSlice endpointslices namespaced
            events.k8s.io/v1 Event events namespaced
            storage.k8s.io/v1 StorageClass storageclasses cluster
            storage.k8s.io/v1 VolumeAttachment volumeattachments cluster
            storage.k8s.io/v1 CSIDriver csidrivers cluster
            storage.k8s.io/v1 CSINode csinodes cluster
            storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities namespaced
            scheduling.k8s.io/v1 PriorityClass priorityclasses cluster
            node.k8s.io/v1 RuntimeClass runtimeclasses cluster
            certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests cluster
            apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions cluster
            apiregistration.k8s.io/v1 APIService apiservices cluster
            admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations cluster
            admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations cluster
            admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster
            admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster
            flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas cluster
            flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations cluster
            authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews cluster
            authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews namespaced
            authentication.k8s.io/v1 TokenReview tokenreviews cluster
            policies.kubewarden.io/v1 ClusterAdmissionPolicy clusteradmissionpolicies cluster
            policies.kubewarden.io/v1 AdmissionPolicy admissionpolicies namespaced
            policies.kubewarden.io/v1 ClusterAdmissionPolicyGroup clusteradmissionpolicygroups cluster
            policies.kubewarden.io/v1 AdmissionPolicyGroup admissionpolicygroups namespaced
            policies.kubewarden.io/v1 PolicyServer policyservers cluster
            """;

    private BuiltInResources() {}

    private static final class Holder {
        static final Map<String, Resource> BY_KIND = TABLE.lines()
                .map(line -> line.split(" ", -1))
                .collect(Collectors.toMap(
                        words -> words[0] + " " + words[1],
                        words -> new Resource(words[2], Arrays.asList(words).contains("namespaced"))));
    }

    static Optional<Resource> find(String apiVersion, String kind) {
        return Optional.ofNullable(Holder.BY_KIND.get(apiVersion + " " + kind));
    }

    /** Finds a kind in the discovery cache: {@code {"resources": {"group|version|Kind": APIResource}}}. */
    static Optional<Resource> inCatalogue(JsonNode catalogue, String group, String version, String kind) {
        var entry = catalogue.path("resources").path(group + "|" + version + "|" + kind);
        return entry.hasNonNull("name")
                ? Optional.of(new Resource(
                        entry.path("name").asText(), entry.path("namespaced").asBoolean()))
                : Optional.empty();
    }
}
