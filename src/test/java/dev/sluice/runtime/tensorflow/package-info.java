/** Tests of the TensorFlow runtime, most of them with the native library. */
@NullMarked
package dev.sluice.runtime.tensorflow;

import org.jspecify.annotations.NullMarked;
