/**
 * Reads what a model's file tells of its runs, before ONNX Runtime opens it. Start at {@link
 * dev.sluice.runtime.onnx.graph.ModelInspection}.
 *
 * <p>{@link FullyWritingOperators} and {@link ShapeBoundOperators} say what is known of operators;
 * {@link GraphNodes} follows values through the graph. Threads: those that load models.
 */
@NullMarked
package dev.sluice.runtime.onnx.graph;

import org.jspecify.annotations.NullMarked;
