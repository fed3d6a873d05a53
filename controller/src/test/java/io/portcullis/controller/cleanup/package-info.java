@NullMarked
package io.portcullis.controller.cleanup;

import org.jspecify.annotations.NullMarked;
