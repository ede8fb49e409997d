package dev.sluice.protocol.oip.http.json;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.Dimensions;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.SharedMemoryParameters;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one object of {@code inputs}. Its members may come in any order: data that comes before the
 * shape and type that it needs is passed over, and read when the object is known.
 */
final class JsonInputReader implements AutoCloseable {
  private static final int NONE = -1;

  private final JsonCursor in;

  /** The name of this input in messages: its place in the request. */
  private final String place;

  private @Nullable String name;
  private @Nullable String datatype;
  private @Nullable Shape shape;
  private @Nullable Tensor values;
  private int dataPosition = NONE;
  private long binarySize = NONE;
  private boolean base64;
  private SharedMemoryParameters.@Nullable Reader shared;
  private @Nullable SharedMemoryParameters sharedPlace;

  JsonInputReader(JsonCursor in, int index) {
    this.in = in;
    this.place = "inputs[" + index + "]";
  }

  /**
   * Reads the object.
   *
   * @return the input, which the caller owns
   */
  JsonInput read() {
    JsonFields.beginObject(in, place);
    while (in.nextKey()) {
      member();
    }
    InputHead head = head();
    if (dataPosition != NONE) {
      readSkippedData(head);
    }
    sharedPlace = shared == null ? null : shared.place();
    requireOneSource();
    var input = new JsonInput(head, values, binarySize, sharedPlace);
    values = null;
    return input;
  }

  private void member() {
    if (in.keyIs("name")) {
      requireFirst(name == null, "name");
      name = JsonFields.string(in, "name");
    } else if (in.keyIs("shape")) {
      requireFirst(shape == null, "shape");
      shape = shape();
    } else if (in.keyIs("datatype")) {
      requireFirst(datatype == null, "datatype");
      datatype = JsonFields.string(in, "datatype");
    } else if (in.keyIs("data")) {
      requireFirst(values == null && dataPosition == NONE, "data");
      data();
    } else if (in.keyIs("parameters")) {
      parameters();
    } else {
      in.skipValue();
    }
  }

  private void requireFirst(boolean first, String member) {
    if (!first) {
      throw InferenceException.invalid(
          "Unable to parse '" + place + "': it has more than one member '" + member + "'");
    }
  }

  private Shape shape() {
    JsonFields.beginArray(in, "shape");
    var dimensions = new Dimensions();
    while (in.nextElement()) {
      dimensions.add(JsonFields.unsigned(in, "shape"));
    }
    return dimensions.toShape();
  }

  /** BYTES wait for the parameters, which may say that they are base64. */
  private void data() {
    if (name == null || datatype == null || shape == null || datatype.equals("BYTES")) {
      dataPosition = in.position();
      in.skipValue();
    } else {
      values = JsonData.read(in, head(), false);
    }
  }

  private void readSkippedData(InputHead head) {
    int end = in.position();
    in.seek(dataPosition);
    values = JsonData.read(in, head, base64 && head.type() == DataType.BYTES);
    in.seek(end);
  }

  private InputHead head() {
    if (name == null) {
      throw JsonFields.missing(place, "name");
    }
    if (shape == null) {
      throw JsonFields.missing(place, "shape");
    }
    if (datatype == null) {
      throw JsonFields.missing(place, "datatype");
    }
    return new InputHead(name, DataTypes.of(datatype, name), shape);
  }

  private void parameters() {
    if (JsonFields.isNull(in)) {
      return;
    }
    JsonFields.beginObject(in, "parameters");
    while (in.nextKey()) {
      if (in.keyIs("binary_data_size")) {
        binarySize = JsonFields.unsigned(in, "binary_data_size");
      } else if (in.keyIs("content_type")) {
        base64 = JsonFields.string(in, "content_type").equals("base64");
      } else {
        shared = shared == null ? new SharedMemoryParameters.Reader() : shared;
        JsonFields.sharedMemory(in, shared);
      }
    }
  }

  private void requireOneSource() {
    int sources =
        (values == null ? 0 : 1) + (binarySize == NONE ? 0 : 1) + (sharedPlace == null ? 0 : 1);
    if (sources != 1) {
      throw notOneSource();
    }
  }

  private InferenceException notOneSource() {
    List<String> set = new ArrayList<>();
    if (values != null) {
      set.add("'data'");
    }
    if (binarySize != NONE) {
      set.add("'binary_data_size'");
    }
    if (sharedPlace != null) {
      set.add("'shared_memory_region'");
    }
    return InferenceException.invalid(
        "Input must set only one of the following fields: 'data', 'binary_data_size' in"
            + " 'parameters', 'shared_memory_region' in 'parameters'. But "
            + (set.isEmpty() ? "no field is set" : String.join(" and ", set) + " are set")
            + " for input '"
            + Excerpt.of(String.valueOf(name))
            + "'");
  }

  /** Frees what {@link #read} has not handed over. */
  @Override
  public void close() {
    if (values != null) {
      values.close();
    }
  }
}
