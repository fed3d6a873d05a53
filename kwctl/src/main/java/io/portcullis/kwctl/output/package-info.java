/** Renders results: tables, sizes, terminal styles. Pure functions from data to text. */
@NullMarked
package io.portcullis.kwctl.output;

import org.jspecify.annotations.NullMarked;
