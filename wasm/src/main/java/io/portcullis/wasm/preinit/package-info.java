/**
 * Makes fresh instances cheap: runs a module's start-up once, takes a snapshot of memory and globals, and writes a new
 * module that starts where the start-up ended.
 *
 * <pre>
 *   original ──instrument──▶ original + getters ──run start-up──▶ snapshot
 *      └────────────────────────── rewrite ◀──────────────────────────┘ ──▶ initialised module
 * </pre>
 *
 * {@link io.portcullis.wasm.preinit.PreInitialiser} is the entry point. Reading and writing the binary format ({@code
 * SnapshotModule}) and the snapshot are pure; only running the start-up needs an engine.
 */
@NullMarked
package io.portcullis.wasm.preinit;

import org.jspecify.annotations.NullMarked;
