/** What TensorFlow Serving and KServe V1 share on every transport: TensorFlow's words. */
@NullMarked
package dev.sluice.protocol.v1;

import org.jspecify.annotations.NullMarked;
