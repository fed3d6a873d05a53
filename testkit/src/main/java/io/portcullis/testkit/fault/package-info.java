/**
 * Faults in the environment of a program: {@link io.portcullis.testkit.fault.SmallDisk}, {@link
 * io.portcullis.testkit.fault.SlowDisk}, {@link io.portcullis.testkit.fault.Cable}. For process faults, use {@link
 * io.portcullis.testkit.program.RunningProgram}. For node and node network faults, use {@link
 * io.portcullis.testkit.cluster.LocalCluster}.
 */
@NullMarked
package io.portcullis.testkit.fault;

import org.jspecify.annotations.NullMarked;
