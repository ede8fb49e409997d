/** Tests of the ONNX runtime, most of them with the native library. */
@NullMarked
package dev.sluice.runtime.onnx.graph;

import org.jspecify.annotations.NullMarked;
