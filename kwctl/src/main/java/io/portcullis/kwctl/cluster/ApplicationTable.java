package io.portcullis.kwctl.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.PolicyStatus;
import java.util.Comparator;
import java.util.List;

/** Renders the policies that apply in a namespace, as a table and as JSON. */
final class ApplicationTable {

    private static final List<String> HEADING =
            List.of("KIND", "NAMESPACE", "NAME", "MODE", "ENFORCED", "REQUESTS", "ONLY IF");

    private ApplicationTable() {}

    /** @param total the number of policies that were checked */
    static String text(String namespace, List<Application> applications, int total) {
        var count = "%d of %d policies %s to these requests in namespace %s.\n"
                .formatted(applications.size(), total, applications.size() == 1 ? "applies" : "apply", namespace);
        return applications.isEmpty()
                ? count
                : Columns.of(
                                HEADING,
                                sorted(applications).stream()
                                        .map(ApplicationTable::row)
                                        .toList()) + "\n" + count;
    }

    static ArrayNode document(List<Application> applications) {
        var list = JsonNodeFactory.instance.arrayNode();
        sorted(applications).forEach(application -> list.add(document(application)));
        return list;
    }

    private static List<Application> sorted(List<Application> applications) {
        return applications.stream()
                .sorted(Comparator.comparing(application -> application.policy().ref()))
                .toList();
    }

    private static List<String> row(Application application) {
        var ref = application.policy().ref();
        return List.of(
                ref.kind().wireName(),
                ref.namespace(),
                ref.name(),
                mode(application),
                PolicyTable.condition(application.policy(), ConditionType.ENFORCED),
                String.join("; ", application.rules()),
                String.join("; ", application.onlyIf()));
    }

    private static ObjectNode document(Application application) {
        var node = StatusDocument.named(application.policy().ref())
                .put("mode", mode(application))
                .put("enforced", Diagnosis.of(application.policy()).isEnforced())
                .put("basis", application.basis().word());
        var requests = node.putArray("requests");
        application.rules().forEach(requests::add);
        var onlyIf = node.putArray("onlyIf");
        application.onlyIf().forEach(onlyIf::add);
        return node;
    }

    /** Returns the mode that the policy server uses. Without one, returns the mode in the spec. */
    private static String mode(Application application) {
        var served = PolicyReport.status(application.policy()).mode();
        return served.equals(PolicyStatus.MODE_UNKNOWN) ? PolicyReport.specMode(application.policy()) : served;
    }
}
