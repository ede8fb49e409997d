package dev.sluice.runtime.onnx.graph;

import java.util.Set;

/**
 * Operators that write every element of their output whenever they run: ONNX's own elementwise
 * ones, products, convolutions, normalisations and reductions. What the runtime's optimizer makes
 * of them, fused or in another layout, does too.
 *
 * <p>Others are not listed, whatever they do today: those that may leave elements as they are
 * (attention over caches, loops, scans, operators of other domains), and Reshape and Transpose,
 * which the optimizer takes into attention.
 */
final class FullyWritingOperators {
  private static final Set<String> OPERATORS =
      Set.of(
          // One value in, one out.
          "Abs",
          "Cast",
          "Ceil",
          "Clip",
          "Cos",
          "Elu",
          "Erf",
          "Exp",
          "Floor",
          "HardSigmoid",
          "LeakyRelu",
          "Log",
          "Neg",
          "Not",
          "Reciprocal",
          "Relu",
          "Round",
          "Selu",
          "Sigmoid",
          "Sign",
          "Sin",
          "Softplus",
          "Softsign",
          "Sqrt",
          "Tanh",
          // Several values in, one out.
          "Add",
          "And",
          "Div",
          "Equal",
          "Greater",
          "Less",
          "Max",
          "Mean",
          "Min",
          "Mul",
          "Or",
          "PRelu",
          "Pow",
          "Sub",
          "Sum",
          "Where",
          // Sums.
          "ArgMax",
          "ArgMin",
          "AveragePool",
          "BatchNormalization",
          "Conv",
          "Gemm",
          "GlobalAveragePool",
          "GlobalMaxPool",
          "LayerNormalization",
          "LogSoftmax",
          "MatMul",
          "MaxPool",
          "ReduceMax",
          "ReduceMean",
          "ReduceMin",
          "ReduceSum",
          "Softmax");

  private FullyWritingOperators() {}

  /** Returns whether an operator is one of them. */
  static boolean writes(String domain, String operator) {
    return (domain.isEmpty() || domain.equals("ai.onnx")) && OPERATORS.contains(operator);
  }
}
