/**
 * Ways to break what a program stands on: {@link io.portcullis.testkit.fault.SmallDisk},
 * {@link io.portcullis.testkit.fault.SlowDisk}, {@link io.portcullis.testkit.fault.Cable}. Processes are hurt through
 * {@link io.portcullis.testkit.program.RunningProgram}, nodes and their cables through
 * {@link io.portcullis.testkit.cluster.LocalCluster}.
 */
@NullMarked
package io.portcullis.testkit.fault;

import org.jspecify.annotations.NullMarked;
