@NullMarked
package io.portcullis.controller.charts;

import org.jspecify.annotations.NullMarked;
