/** The built-ins for IP addresses and CIDR blocks. */
@NullMarked
package io.portcullis.evaluator.rego.builtin.net;

import org.jspecify.annotations.NullMarked;
