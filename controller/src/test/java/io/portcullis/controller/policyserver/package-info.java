@NullMarked
package io.portcullis.controller.policyserver;

import org.jspecify.annotations.NullMarked;
