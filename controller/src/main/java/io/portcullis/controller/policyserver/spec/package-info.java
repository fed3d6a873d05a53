/** What a PolicyServer asks for: its spec with the installation's defaults, and the names of its objects. */
@NullMarked
package io.portcullis.controller.policyserver.spec;

import org.jspecify.annotations.NullMarked;
