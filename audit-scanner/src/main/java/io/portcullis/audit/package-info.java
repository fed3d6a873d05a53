/** Evaluates existing objects of a cluster against the enforced policies, and writes a report for each object. */
@NullMarked
package io.portcullis.audit;

import org.jspecify.annotations.NullMarked;
