/** Turns policies into revisions, revisions into webhooks, facts into status; owns PolicyServer workloads and certificates. */
@NullMarked
package io.portcullis.controller;

import org.jspecify.annotations.NullMarked;
