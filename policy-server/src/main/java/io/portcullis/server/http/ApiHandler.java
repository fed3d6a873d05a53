package io.portcullis.server.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.process.http.Answers;
import io.portcullis.process.http.ExceptionAnswers;
import io.portcullis.process.http.HttpProblem;
import io.portcullis.process.http.Listener;
import io.portcullis.server.source.PolicyLoadState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles every request of the API port: checks route and method, then calls the handler of the route. It replaces Helidon's
 * routing, because paths must match as they were sent, and errors must have our format.
 */
final class ApiHandler implements Handler {

    private static final Logger log = LoggerFactory.getLogger(ApiHandler.class);
    private static final ExceptionAnswers EXCEPTIONS = new ExceptionAnswers(
            log, "request failed", "server overloaded: the server is shutting down", "Something went wrong");
    private static final Header BINARY =
            HeaderValues.createCached(HeaderNames.CONTENT_TYPE, "application/octet-stream");
    private static final Header CHALLENGE = HeaderValues.createCached(HeaderNames.WWW_AUTHENTICATE, "Bearer");
    private static final Header ALLOW_POST = HeaderValues.createCached(HeaderNames.ALLOW, "POST");
    private static final Header ALLOW_ONLY_GET = HeaderValues.createCached(HeaderNames.ALLOW, "GET");
    private static final Header ALLOW_GET = HeaderValues.createCached(HeaderNames.ALLOW, "GET,HEAD");

    private final EvaluationHandler evaluation;
    private final Supplier<List<PolicyLoadState>> policies;
    private final Optional<EvidencePage> evidence;
    private final Optional<ModulesPage> modules;
    private final boolean profiling;
    private final Profiles profiles = new Profiles();

    ApiHandler(
            EvaluationHandler evaluation,
            Supplier<List<PolicyLoadState>> policies,
            Optional<EvidencePage> evidence,
            Optional<ModulesPage> modules,
            boolean profiling) {
        this.evaluation = evaluation;
        this.policies = policies;
        this.evidence = evidence;
        this.modules = modules;
        this.profiling = profiling;
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) {
        var path = request.prologue().uriPath().rawPathNoParams();
        EXCEPTIONS.run(path, request, response, () -> route(ApiRoute.parse(path), request, response));
        log.atDebug()
                .addKeyValue("method", request.prologue().method())
                .addKeyValue("path", path)
                .addKeyValue("status", response.status().code())
                .log("request");
        Answers.closeIfRequested(request, response);
    }

    private void route(ApiRoute route, ServerRequest request, ServerResponse response)
            throws IOException, InterruptedException {
        switch (route) {
            case ApiRoute.Evaluate evaluate -> {
                if (request.prologue().method().equals(Method.POST)) {
                    response.header(Answers.JSON).send(evaluation.handle(evaluate, request));
                } else {
                    response.header(ALLOW_POST);
                    Answers.status(request, response, 405);
                }
            }
            case ApiRoute.SelfCheck() -> {
                if (Listener.isSelfCheck(request)) {
                    response.header(Answers.JSON).send(evaluation.selfCheck(request));
                } else {
                    Answers.status(request, response, 404);
                }
            }
            case ApiRoute.ListPolicies() -> {
                if (isRead(request, response)) {
                    response.header(Answers.JSON).send(PoliciesPage.render(policies.get()));
                }
            }
            case ApiRoute.Served() -> {
                if (evidence.isEmpty()) {
                    Answers.status(request, response, 404);
                } else if (isRead(request, response)) {
                    sendEvidence(evidence.get(), request, response);
                }
            }
            case ApiRoute.Report() -> {
                if (evidence.isEmpty()) {
                    response.status(404).send();
                } else if (isRead(request, response)) {
                    refuseWithoutToken(evidence.get(), request, response);
                    response.header(Answers.JSON)
                            .send(evidence.get().report().get().write());
                }
            }
            case ApiRoute.Module(var digest) -> {
                if (modules.isEmpty()) {
                    Answers.status(request, response, 404);
                } else if (request.prologue().method().equals(Method.GET)) {
                    refuseUnless(modules.get().allows(authorization(request)), response);
                    modules.get().send(digest, response);
                } else {
                    response.header(ALLOW_ONLY_GET);
                    Answers.status(request, response, 405);
                }
            }
            case ApiRoute.ProfileCpu() -> {
                if (!profiling) {
                    Answers.status(request, response, 404);
                } else if (isRead(request, response)) {
                    sendFile(response, profiles.cpu(interval(request)), "cpu_profile.jfr");
                }
            }
            case ApiRoute.ProfileHeap() -> {
                if (!profiling) {
                    Answers.status(request, response, 404);
                } else if (isRead(request, response)) {
                    sendFile(response, profiles.heap(), "heap_profile.hprof");
                }
            }
            case ApiRoute.NotFound() -> Answers.status(request, response, 404);
            case ApiRoute.Undecodable(var message) -> throw new HttpProblem(400, message);
        }
    }

    private static void sendEvidence(EvidencePage page, ServerRequest request, ServerResponse response) {
        refuseWithoutToken(page, request, response);
        var query = request.query();
        var answer = query.contains(Evidence.POLICY)
                ? page.about(Set.copyOf(query.all(Evidence.POLICY)))
                : page.everything(request.headers().value(HeaderNames.IF_NONE_MATCH));
        answer.tag().ifPresent(tag -> response.header(HeaderNames.ETAG, tag));
        answer.body()
                .ifPresentOrElse(
                        body -> response.header(Answers.JSON).send(body),
                        () -> response.status(304).send());
    }

    private static void refuseWithoutToken(EvidencePage page, ServerRequest request, ServerResponse response) {
        refuseUnless(page.allows(authorization(request)), response);
    }

    private static Optional<String> authorization(ServerRequest request) {
        return request.headers().value(HeaderNames.AUTHORIZATION);
    }

    private static void refuseUnless(boolean isAllowed, ServerResponse response) {
        if (!isAllowed) {
            response.header(CHALLENGE);
            throw new HttpProblem(401, "a bearer token is needed");
        }
    }

    private static boolean isRead(ServerRequest request, ServerResponse response) {
        var method = request.prologue().method();
        if (method.equals(Method.GET) || method.equals(Method.HEAD)) {
            return true;
        }
        response.header(ALLOW_GET);
        Answers.status(request, response, 405);
        return false;
    }

    private static Duration interval(ServerRequest request) {
        var text = request.query().first("interval").orElse("30");
        if (!text.matches("[0-9]{1,3}")) {
            throw new HttpProblem(400, "interval must be a number of seconds");
        }
        return Duration.ofSeconds(Integer.parseInt(text));
    }

    private static void sendFile(ServerResponse response, Path file, String name) throws IOException {
        try (var in = Files.newInputStream(file)) {
            response.header(BINARY).header(HeaderNames.CONTENT_DISPOSITION, "attachment; filename=\"" + name + "\"");
            try (var out = response.outputStream()) {
                in.transferTo(out);
            }
        } finally {
            Files.delete(file);
            Files.delete(Objects.requireNonNull(file.getParent(), "a profile has a directory of its own"));
        }
    }
}
