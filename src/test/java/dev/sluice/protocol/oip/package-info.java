/** Tests of what both faces of the Open Inference Protocol share. */
@NullMarked
package dev.sluice.protocol.oip;

import org.jspecify.annotations.NullMarked;
