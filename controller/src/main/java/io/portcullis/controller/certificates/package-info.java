/**
 * The installation's certificates: a certificate authority and the certificates that it signs, created, checked and
 * rotated, unless the user provides them. {@link io.portcullis.controller.certificates.Certificates} wires; {@code plan}
 * decides, {@code secrets} stores, {@code authority} and {@code leaf} apply.
 */
@NullMarked
package io.portcullis.controller.certificates;

import org.jspecify.annotations.NullMarked;
