package io.portcullis.server.preparation.child;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.loading.InProcessPreparation;
import io.portcullis.evaluator.loading.ModulePreparation;
import io.portcullis.server.preparation.child.PreparationResult.Prepared;
import io.portcullis.server.preparation.child.PreparationResult.Rejected;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The main class of a child process. It limits its own resources, reads one module from standard input, prepares the module,
 * writes the result to standard output and exits. It also exits when the server closes the pipe.
 */
public final class PreparationChild {

    /** An empty module. Compiling it warms up the compiler while the child waits for its job. */
    private static final byte[] EMPTY_MODULE = {0, 'a', 's', 'm', 1, 0, 0, 0};

    private PreparationChild() {}

    /** @param arguments the data limit in bytes and the CPU limit in seconds */
    public static void main(String[] arguments) throws IOException {
        // Only the result may reach standard output; redirect the output of libraries.
        var out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err);
        ResourceLimits.apply(Long.parseLong(arguments[0]), Long.parseLong(arguments[1]));
        var engine = WasmEngines.forPreparation();
        engine.compile(EMPTY_MODULE).close();
        var in = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        ModulePreparation.Job job;
        try {
            job = PreparationMessages.readJob(in);
        } catch (EOFException e) {
            return;
        }
        exitWithServer(in);
        PreparationMessages.writeResult(result(new InProcessPreparation(engine, SizeLimits.DEFAULT), job), out);
        System.exit(0);
    }

    static PreparationResult result(ModulePreparation preparation, ModulePreparation.Job job) {
        try {
            return new Prepared(preparation.prepare(job));
        } catch (PolicyLoadException e) {
            return new Rejected(e.reason(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Exits when the server exits. The server never sends a second job, so the end of the pipe means that the server is
     * gone.
     */
    private static void exitWithServer(InputStream in) {
        Thread.ofPlatform().name("server-watch").daemon().start(() -> {
            try {
                while (in.read() >= 0) {
                    // Ignored.
                }
            } catch (IOException e) {
                System.err.println("cannot watch the server: " + e);
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
