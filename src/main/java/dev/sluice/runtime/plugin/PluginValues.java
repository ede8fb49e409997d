package dev.sluice.runtime.plugin;

import dev.sluice.extension.Value;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tensors and parameters as a plugin sees them, and back. Everything is copied.
 *
 * <p>Copies in both directions, so that no plugin can hold or overwrite native memory of a request.
 */
public final class PluginValues {
  private PluginValues() {}

  /**
   * Copies tensors, which stay the caller's.
   *
   * @throws InferenceException INVALID_ARGUMENT if one is of a type that not every protocol carries
   */
  public static List<Value> of(List<NamedTensor> tensors) {
    List<Value> values = new ArrayList<>(tensors.size());
    for (NamedTensor named : tensors) {
      Tensor tensor = named.tensor();
      requireCommon(named);
      if (tensor.byteSize() > Integer.MAX_VALUE - 8) {
        throw new InferenceException(
            ErrorCode.TOO_LARGE,
            "input '%s' has %d bytes, own code takes less than 2 GiB"
                .formatted(named.name(), tensor.byteSize()));
      }
      byte[] data = tensor.data().toArray(ValueLayout.JAVA_BYTE);
      values.add(Value.of(named.name(), tensor.type(), tensor.shape(), data));
    }
    return values;
  }

  private static void requireCommon(NamedTensor named) {
    if (!named.tensor().type().isCommon()) {
      throw InferenceException.invalid(
          "tensor '%s' is %s, which own code does not take"
              .formatted(named.name(), named.tensor().type()));
    }
  }

  /** Makes tensors, which the caller owns. */
  public static List<NamedTensor> tensors(List<Value> values) {
    List<NamedTensor> tensors = new ArrayList<>(values.size());
    try {
      values.forEach(value -> tensors.add(new NamedTensor(value.name(), tensor(value))));
      return tensors;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(tensors);
      throw e;
    }
  }

  private static Tensor tensor(Value value) {
    MemorySegment data = MemorySegment.ofBuffer(value.data());
    try (var builder = new TensorBuilder(value.type(), data.byteSize())) {
      builder.putRaw(data, 0, data.byteSize(), value.shape().elementCount());
      return builder.build(value.shape());
    }
  }

  /** Returns a request's parameters. */
  public static Map<String, Object> parameters(Map<String, ParameterValue> parameters) {
    Map<String, Object> plain = new LinkedHashMap<>();
    parameters.forEach((name, value) -> plain.put(name, plain(value)));
    return plain;
  }

  private static Object plain(ParameterValue value) {
    return switch (value) {
      case ParameterValue.Flag(boolean flag) -> flag;
      case ParameterValue.Whole whole -> whole.value();
      case ParameterValue.Fraction(double number) -> number;
      case ParameterValue.Text(String text) -> text;
    };
  }

  /**
   * Returns the parameters that a plugin gives: with an answer, or with a request to another model.
   *
   * @throws InferenceException INTERNAL if one is neither a text nor a number nor a flag
   */
  public static Map<String, ParameterValue> ofPlain(Map<String, Object> parameters) {
    Map<String, ParameterValue> values = new LinkedHashMap<>();
    parameters.forEach((name, value) -> values.put(name, value(name, value)));
    return values;
  }

  private static ParameterValue value(String name, @Nullable Object plain) {
    return switch (plain) {
      case Boolean flag -> new ParameterValue.Flag(flag);
      case Long number -> new ParameterValue.Whole(number, false);
      case Integer number -> new ParameterValue.Whole(number, false);
      case Double number -> new ParameterValue.Fraction(number);
      case Float number -> new ParameterValue.Fraction(number);
      case String text -> new ParameterValue.Text(text);
      case null -> throw unknown(name, "null");
      default -> throw unknown(name, plain.getClass().getName());
    };
  }

  private static InferenceException unknown(String name, String got) {
    return new InferenceException(
        ErrorCode.INTERNAL,
        "parameter '%s' is %s; wanted a text, a number or a flag".formatted(name, got));
  }
}
