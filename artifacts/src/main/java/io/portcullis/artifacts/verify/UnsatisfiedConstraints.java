package io.portcullis.artifacts.verify;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Formats the error text that lists missing signatures. Users and policies match on this text. */
final class UnsatisfiedConstraints {

    private UnsatisfiedConstraints() {}

    static String allOf(List<SignatureConstraint> missing) {
        return "Image verification failed: missing signatures\nThe following constraints were not satisfied:\n"
                + list(missing);
    }

    static String anyOf(int needed, int got, List<SignatureConstraint> missing) {
        return "Image verification failed: minimum number of signatures not reached: needed " + needed + ", got " + got
                + "\nThe following constraints were not satisfied:\n" + list(missing);
    }

    private static String list(List<SignatureConstraint> constraints) {
        return constraints.stream().map(UnsatisfiedConstraints::yaml).collect(Collectors.joining("\n"));
    }

    private static String yaml(SignatureConstraint constraint) {
        var head = switch (constraint) {
            case SignatureConstraint.PubKey key ->
                "kind: pubKey\nowner: " + nullable(key.owner()) + "\nkey: |\n"
                        + key.pem().strip().indent(2);
            case SignatureConstraint.GenericIssuer(var issuer, var subject, var _) ->
                "kind: genericIssuer\nissuer: " + issuer + "\nsubject: " + tagged(subject) + "\n";
            case SignatureConstraint.GithubAction action ->
                "kind: githubAction\nowner: " + action.owner() + "\nrepo: " + nullable(action.repo()) + "\n";
            case SignatureConstraint.Certificate certificate ->
                "kind: certificate\nsubject: " + certificate.certificate().getSubjectX500Principal() + "\n";
        };
        return head + "annotations:" + annotations(constraint.annotations());
    }

    private static String tagged(SignatureConstraint.Subject subject) {
        return switch (subject) {
            case SignatureConstraint.Subject.Equal(var value) -> "!equal " + value;
            case SignatureConstraint.Subject.UrlPrefix(var value) -> "!urlPrefix " + value;
        };
    }

    private static String nullable(Optional<String> value) {
        return value.orElse("null");
    }

    private static String annotations(Map<String, String> annotations) {
        return annotations.isEmpty()
                ? " null\n"
                : annotations.entrySet().stream()
                        .map(each -> "\n  " + each.getKey() + ": " + each.getValue())
                        .collect(Collectors.joining("", "", "\n"));
    }
}
