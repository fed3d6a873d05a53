package io.portcullis.process.http;

import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;

/**
 * Answers and logs the failures of a server's request handler.
 *
 * @param shuttingDown the answer to a request that is interrupted
 * @param failed the answer to a request that fails unexpectedly; contains no details
 * @param logged the log text for such a request
 */
public record RequestFailures(Logger log, String shuttingDown, String failed, String logged) {

    /** Handles a request. An {@link HttpProblem} is an expected failure. */
    @FunctionalInterface
    public interface Handling {
        void run() throws IOException, InterruptedException;
    }

    /** @throws UncheckedIOException when the client closed the connection */
    public void guard(String path, ServerRequest request, ServerResponse response, Handling handling) {
        try {
            handling.run();
        } catch (HttpProblem problem) {
            Answers.refuse(request, response, problem);
        } catch (CloseConnectionException e) {
            throw e;
        } catch (IOException | UncheckedIOException e) {
            log.atDebug().addKeyValue("path", path).addKeyValue("error", e).log("client went away");
            throw new UncheckedIOException(new IOException("client went away", e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Answers.refuse(request, response, new HttpProblem(503, shuttingDown));
        } catch (RuntimeException | StackOverflowError e) {
            log.atError().setCause(e).addKeyValue("path", path).log(logged);
            Answers.refuse(request, response, new HttpProblem(500, failed));
        }
    }
}
