/** Tests of elements of tensors in V1 JSON. */
@NullMarked
package dev.sluice.protocol.v1.http.element;

import org.jspecify.annotations.NullMarked;
