/** Command lines with environment fallbacks. {@link io.portcullis.process.cli.Flag} declares, {@link io.portcullis.process.cli.Program} runs. */
@NullMarked
package io.portcullis.process.cli;

import org.jspecify.annotations.NullMarked;
