package dev.sluice.runtime.onnx.graph;

import java.util.Set;

/**
 * Operators whose work, and whose outputs' shapes, follow from the shapes of their inputs: whatever
 * the values are, they take about as long. Loops, branches, searches and whatever makes as many
 * elements as a value says are not among them.
 */
final class ShapeBoundOperators {
  private static final Set<String> OPERATORS =
      Set.of(
          // Element by element, beside those of FullyWritingOperators.
          "Acos",
          "Acosh",
          "Asin",
          "Asinh",
          "Atan",
          "Atanh",
          "BitShift",
          "CastLike",
          "Celu",
          "Cosh",
          "Dropout",
          "Gelu",
          "GreaterOrEqual",
          "HardSwish",
          "Identity",
          "IsInf",
          "IsNaN",
          "LessOrEqual",
          "Mish",
          "Mod",
          "Shrink",
          "Sinh",
          "Swish",
          "Tan",
          "ThresholdedRelu",
          "Xor",
          // Products, windows, normalisations, reductions.
          "ConvInteger",
          "ConvTranspose",
          "CumSum",
          "Einsum",
          "GlobalLpPool",
          "GroupNormalization",
          "Hardmax",
          "InstanceNormalization",
          "LRN",
          "LpNormalization",
          "LpPool",
          "MatMulInteger",
          "MeanVarianceNormalization",
          "QLinearConv",
          "QLinearMatMul",
          "RMSNormalization",
          "ReduceL1",
          "ReduceL2",
          "ReduceLogSum",
          "ReduceLogSumExp",
          "ReduceProd",
          "ReduceSumSquare",
          // Recurrent ones walk no further than their inputs' time axis.
          "GRU",
          "LSTM",
          "RNN",
          // Other places, other numbers.
          "Concat",
          "Constant",
          "DepthToSpace",
          "DequantizeLinear",
          "DynamicQuantizeLinear",
          "EyeLike",
          "Flatten",
          "Gather",
          "GatherElements",
          "GatherND",
          "QuantizeLinear",
          "Shape",
          "Size",
          "SpaceToDepth",
          "Transpose",
          "Trilu");

  /** Their outputs' shapes follow from values of further inputs than the first. */
  private static final Set<String> BY_FURTHER_INPUTS =
      Set.of(
          "Expand",
          "OneHot",
          "Pad",
          "Reshape",
          "Resize",
          "Slice",
          "Split",
          "Squeeze",
          "Tile",
          "TopK",
          "Unsqueeze",
          "Upsample");

  /** Their outputs' shapes follow from values of all inputs. */
  private static final Set<String> BY_ALL_INPUTS = Set.of("ConstantOfShape", "Range");

  /** Of {@code ai.onnx.ml}, as scikit-learn's models have them. */
  private static final Set<String> CLASSICAL =
      Set.of(
          "ArrayFeatureExtractor",
          "Binarizer",
          "FeatureVectorizer",
          "Imputer",
          "LinearClassifier",
          "LinearRegressor",
          "Normalizer",
          "SVMClassifier",
          "SVMRegressor",
          "Scaler",
          "TreeEnsembleClassifier",
          "TreeEnsembleRegressor");

  private ShapeBoundOperators() {}

  /** Returns whether an operator is known here, whether its inputs' values matter or not. */
  static boolean contains(String domain, String operator) {
    return domain.equals("ai.onnx.ml")
        ? CLASSICAL.contains(operator)
        : FullyWritingOperators.writes(domain, operator)
            || (isStandard(domain)
                && (OPERATORS.contains(operator)
                    || BY_FURTHER_INPUTS.contains(operator)
                    || BY_ALL_INPUTS.contains(operator)));
  }

  /**
   * Returns the place of the first input whose values say how large the output is; that and all
   * behind it have to be known.
   */
  static int firstSizingInput(String domain, String operator) {
    if (!isStandard(domain)) {
      return Integer.MAX_VALUE;
    }
    if (BY_ALL_INPUTS.contains(operator)) {
      return 0;
    }
    // What a reduction leaves follows from its axes.
    return BY_FURTHER_INPUTS.contains(operator) || operator.startsWith("Reduce")
        ? 1
        : Integer.MAX_VALUE;
  }

  private static boolean isStandard(String domain) {
    return domain.isEmpty() || domain.equals("ai.onnx");
  }
}
