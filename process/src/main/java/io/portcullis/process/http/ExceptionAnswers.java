package io.portcullis.process.http;

import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;

/**
 * Answers a request whose handler throws.
 *
 * @param log the log of the handler
 * @param logText the log line about an unexpected exception
 * @param shuttingDown the message for clients when the thread is interrupted
 * @param unexpected the message for clients after an unexpected exception; it must not contain the cause
 */
public record ExceptionAnswers(Logger log, String logText, String shuttingDown, String unexpected) {

    /** Reads a request and sends its answer. */
    @FunctionalInterface
    public interface Exchange {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Runs an exchange.
     *
     * @throws UncheckedIOException when the client went away
     * @throws CloseConnectionException as thrown by the exchange
     */
    public void run(String path, ServerRequest request, ServerResponse response, Exchange exchange) {
        try {
            exchange.run();
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
            log.atError().setCause(e).addKeyValue("path", path).log(logText);
            Answers.refuse(request, response, new HttpProblem(500, unexpected));
        }
    }
}
