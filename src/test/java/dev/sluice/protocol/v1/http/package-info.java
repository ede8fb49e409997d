/** Tests of the paths that TensorFlow Serving and KServe V1 share. */
@NullMarked
package dev.sluice.protocol.v1.http;

import org.jspecify.annotations.NullMarked;
