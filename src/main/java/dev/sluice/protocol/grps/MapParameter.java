package dev.sluice.protocol.grps;

import dev.sluice.inference.ParameterValue;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/** Makes parameters of the entries of maps that are named like those that a model heeds. */
final class MapParameter {
  /** Parameters that are true or false, for which maps have no kind of their own. */
  private static final Set<String> FLAGS = Set.of("ignore_eos", "chat", "token_ids", "tool_calls");

  private MapParameter() {}

  /** Returns the value of an entry. Borrows the tensor. */
  static ParameterValue of(String name, MapKind kind, Tensor value) {
    MemorySegment data = value.data();
    return switch (kind) {
      case TEXT, BYTES -> text(name, value);
      case INT32 -> new ParameterValue.Whole(data.get(ValueLayout.JAVA_INT, 0), false);
      case INT64 -> new ParameterValue.Whole(data.get(ValueLayout.JAVA_LONG, 0), false);
      case SINGLE -> new ParameterValue.Fraction(data.get(ValueLayout.JAVA_FLOAT, 0));
      case DOUBLE -> new ParameterValue.Fraction(data.get(ValueLayout.JAVA_DOUBLE, 0));
    };
  }

  private static ParameterValue text(String name, Tensor value) {
    var element = new BytesElements(value);
    element.next();
    String text = element.toText();
    boolean flag = text.equals("true") || text.equals("false");
    return flag && FLAGS.contains(name)
        ? new ParameterValue.Flag(text.equals("true"))
        : new ParameterValue.Text(text);
  }
}
