package dev.sluice.protocol.oip;

import dev.sluice.inference.InferenceException;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The protocol's names of element types. They are the common ones of {@link DataType}, letter by
 * letter.
 */
public final class DataTypes {
  private static final Map<String, DataType> BY_NAME =
      Arrays.stream(DataType.values())
          .filter(DataType::isCommon)
          .collect(Collectors.toUnmodifiableMap(DataType::name, Function.identity()));

  private DataTypes() {}

  /**
   * Returns the type that an input of a request says it has.
   *
   * @throws InferenceException with INVALID_ARGUMENT if there is no such type
   */
  public static DataType of(String name, String input) {
    @Nullable DataType type = BY_NAME.get(name);
    if (type == null) {
      throw InferenceException.invalid(
          "invalid datatype for input "
              + Excerpt.of(input)
              + ": got '"
              + Excerpt.of(name)
              + "', wanted one of BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64,"
              + " BYTES");
    }
    return type;
  }

  /** Returns how metadata names a tensor's type; the model's own word if this protocol has none. */
  public static String name(TensorSpec tensor) {
    return tensor.type().isCommon() ? tensor.type().name() : tensor.nativeType();
  }
}
