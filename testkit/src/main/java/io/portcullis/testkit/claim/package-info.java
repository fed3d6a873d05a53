/** References from documents to the tests that prove their claims. */
@NullMarked
package io.portcullis.testkit.claim;

import org.jspecify.annotations.NullMarked;
