package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.protocol.tfs.grpc.proto.DataType;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.TensorSpec;
import java.util.Locale;

/**
 * The declared type of an input or output, in TensorFlow's words. A SavedModel says so itself, and
 * may name a type that does not travel here; for other formats the nearest is named.
 */
public final class DeclaredType {
  private static final String PREFIX = "DT_";

  private DeclaredType() {}

  /** Returns the type by which a tensor is declared. */
  public static DataType of(TensorSpec spec) {
    if (TensorflowTypeNames.isTensorflow(spec)) {
      return named(spec.nativeType());
    }
    return spec.type() == dev.sluice.tensor.DataType.UNSUPPORTED
        ? DataType.DT_INVALID
        : DataType.forNumber(WireType.of(spec.type()).number());
  }

  /** Returns the name of the type in error texts: {@code float}. */
  public static String text(TensorSpec spec) {
    return of(spec).name().substring(PREFIX.length()).toLowerCase(Locale.ROOT);
  }

  private static DataType named(String name) {
    var value = DataType.getDescriptor().findValueByName(name);
    return value == null ? DataType.DT_INVALID : DataType.valueOf(value);
  }
}
