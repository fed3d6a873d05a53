/**
 * Reads JSON as bytes without building trees. {@link io.portcullis.evaluator.json.JsonScanner} checks the syntax and
 * returns the requested values. For values that are only copied, it returns their byte ranges. Error messages match
 * those of Kubewarden.
 */
@NullMarked
package io.portcullis.evaluator.json;

import org.jspecify.annotations.NullMarked;
