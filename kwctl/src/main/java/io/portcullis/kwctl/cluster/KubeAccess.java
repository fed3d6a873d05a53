package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.process.args.ParsedArguments;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Selects the cluster and the user: by flags first, then by the same sources as {@code kubectl}. */
final class KubeAccess {

    private static final int CONNECT_MILLIS = 5_000;
    private static final int REQUEST_MILLIS = 30_000;

    private KubeAccess() {}

    static Config config(ParsedArguments arguments, CommandSession session) {
        var context = arguments.value(ClusterOptions.CONTEXT).orElse(null);
        var config = read(context, arguments.value(ClusterOptions.KUBECONFIG).map(session::path), session);
        if (context != null && !contexts(config).contains(context)) {
            // Without this check, the client silently uses another cluster.
            throw new CommandException("the kubeconfig has no context \"" + context + "\"; it has "
                    + PlainText.of(String.join(", ", contexts(config))));
        }
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setRequestTimeout(REQUEST_MILLIS);
        // A user waits for the result: fail clearly at once instead of retrying many times.
        config.setRequestRetryBackoffLimit(1);
        return config;
    }

    private static Config read(@Nullable String context, Optional<Path> given, CommandSession session) {
        if (given.isPresent()) {
            return fromFile(context, given.get());
        }
        var listed = session.variable("KUBECONFIG").map(KubeAccess::paths).orElse(List.of());
        if (listed.size() > 1) {
            // Merges the files, as kubectl does.
            return Config.autoConfigure(context);
        }
        if (listed.size() == 1) {
            return fromFile(context, session.path(listed.getFirst()));
        }
        var standard = session.variable("HOME").map(home -> Path.of(home, ".kube", "config"));
        if (standard.filter(Files::isRegularFile).isPresent()) {
            return fromFile(context, standard.get());
        }
        if (session.variable("KUBERNETES_SERVICE_HOST").isPresent()) {
            return Config.autoConfigure(context);
        }
        throw new CommandException(
                "no cluster is configured: give --kubeconfig, set KUBECONFIG or create ~/.kube/config");
    }

    private static List<String> paths(String variable) {
        return Arrays.stream(variable.split(File.pathSeparator))
                .filter(path -> !path.isBlank())
                .toList();
    }

    private static Config fromFile(@Nullable String context, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new CommandException("cannot read kubeconfig " + file);
        }
        try {
            var text = TextFile.read(file, "cannot read kubeconfig " + file);
            if (YamlDocuments.parse(text).path("clusters").isEmpty()) {
                // Without this check, the client silently uses the default address.
                throw new CommandException("kubeconfig " + file
                        + " is not a valid kubeconfig: it lists no clusters; check --kubeconfig and KUBECONFIG");
            }
            return Config.fromKubeconfig(context, file.toFile());
        } catch (CommandException e) {
            throw e;
        } catch (RuntimeException _) {
            // Do not include the parser's message: it quotes the file, and the file contains credentials.
            throw new CommandException("kubeconfig " + file + " is not a valid kubeconfig");
        }
    }

    private static List<String> contexts(Config config) {
        return Optional.ofNullable(config.getContexts()).orElse(List.of()).stream()
                .map(NamedContext::getName)
                .sorted()
                .toList();
    }
}
