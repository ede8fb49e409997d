package dev.sluice.runtime.tensorflow;

import dev.sluice.inference.CompositeTensor;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The inputs of a signature, or its outputs. What is made of several tensors is declared as these:
 * {@code x/indices}, {@code x/values} and {@code x/dense_shape} of a sparse {@code x}; {@code
 * x/flat_values}, {@code x/row_splits_0} and so on of a ragged one; of others {@code x/0} and so
 * on.
 *
 * @param specs all tensors
 * @param composites what is made of several, by its name
 */
record SignatureTensors(List<TensorSpec> specs, Map<String, CompositeTensor> composites) {
  private static final int INT64 = TfTypes.number(DataType.INT64);
  private static final int SPARSE = 1;
  private static final int RAGGED = 3;

  /**
   * Declares tensors in the order in which they are given.
   *
   * @param optional names of those that a request may leave out
   * @throws InferenceException with FAILED_PRECONDITION if two have the same name
   */
  static SignatureTensors of(Map<String, TensorInfo> infos, Set<String> optional) {
    var specs = new ArrayList<TensorSpec>();
    Map<String, CompositeTensor> composites = new LinkedHashMap<>();
    infos.forEach((name, info) -> {
      List<TensorSpec> parts = parts(name, info, optional.contains(name));
      specs.addAll(parts);
      if (!(info.made() instanceof TensorInfo.OfItself)) {
        composites.put(
            name,
            new CompositeTensor(
                kind(info), parts.stream().map(TensorSpec::name).toList(), info.message()));
      }
    });
    requireNamesOnce(specs);
    return new SignatureTensors(List.copyOf(specs), composites);
  }

  private static List<TensorSpec> parts(String name, TensorInfo info, boolean optional) {
    return switch (info.made()) {
      case TensorInfo.OfItself _ ->
          List.of(spec(name, info.name(), info.type(), info.shape(), optional));
      case TensorInfo.OfCoordinates sparse -> parts(name, info, sparse);
      case TensorInfo.OfComponents(var typeClass, var components) ->
          parts(name, typeClass, components);
    };
  }

  private static List<TensorSpec> parts(
      String name, TensorInfo info, TensorInfo.OfCoordinates sparse) {
    long rank = info.shape().isRankKnown() ? info.shape().rank() : Shape.ANY;
    return List.of(
        spec(name + "/indices", sparse.indices(), INT64, Shape.of(Shape.ANY, rank), false),
        spec(name + "/values", sparse.values(), info.type(), Shape.of(Shape.ANY), false),
        spec(name + "/dense_shape", sparse.denseShape(), INT64, Shape.of(rank), false));
  }

  private static List<TensorSpec> parts(String name, int typeClass, List<TensorInfo> components) {
    var parts = new ArrayList<TensorSpec>();
    for (int i = 0; i < components.size(); i++) {
      parts.addAll(parts(name + '/' + component(typeClass, i), components.get(i), false));
    }
    return parts;
  }

  private static String component(int typeClass, int index) {
    return switch (typeClass) {
      case SPARSE -> List.of("indices", "values", "dense_shape").get(Math.min(index, 2));
      case RAGGED -> index == 0 ? "flat_values" : "row_splits_" + (index - 1);
      default -> String.valueOf(index);
    };
  }

  private static String kind(TensorInfo info) {
    return switch (info.made()) {
      case TensorInfo.OfItself _ -> "tensor";
      case TensorInfo.OfCoordinates _ -> "sparse tensor";
      case TensorInfo.OfComponents made ->
          switch (made.typeClass()) {
            case SPARSE -> "sparse tensor";
            case RAGGED -> "ragged tensor";
            default -> "composite tensor";
          };
    };
  }

  private static TensorSpec spec(
      String name, String nativeName, int type, Shape shape, boolean optional) {
    return new TensorSpec(
        name, TfTypes.type(type), shape, optional, nativeName, TfTypes.nativeName(type));
  }

  private static void requireNamesOnce(List<TensorSpec> specs) {
    Set<String> names = new HashSet<>();
    for (TensorSpec spec : specs) {
      if (!names.add(spec.name())) {
        throw new InferenceException(
            ErrorCode.FAILED_PRECONDITION,
            "a signature has the tensor '%s' twice: by this name, and as a part of another"
                .formatted(spec.name()));
      }
    }
  }
}
