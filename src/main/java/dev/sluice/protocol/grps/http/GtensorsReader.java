package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.GrpsType;
import dev.sluice.protocol.grps.RequestInputs;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;

/**
 * Reads {@code gtensors} into a model's inputs. The keys of a tensor come in any order, so each
 * tensor is looked through before its values are read.
 */
record GtensorsReader(JsonCursor in, RequestInputs inputs) {
  void read() {
    GrpsJson.requireObject(in, "gtensors");
    in.beginObject();
    while (in.nextKey()) {
      if (in.keyIs("tensors") && GrpsJson.isPresent(in)) {
        readTensors();
      } else {
        in.skipValue();
      }
    }
  }

  private void readTensors() {
    GrpsJson.requireArray(in, "gtensors.tensors");
    in.beginArray();
    for (int i = 0; in.nextElement(); i++) {
      String place = "gtensors.tensors[" + i + "]";
      TensorKeys keys = TensorKeys.scan(in, place);
      int after = in.position();
      readTensor(keys, place);
      in.seek(after);
    }
  }

  private void readTensor(TensorKeys keys, String place) {
    TensorSpec wanted = inputs.next(keys.name());
    GrpsType type = keys.type();
    if (type == null) {
      throw inputs.untyped(wanted);
    }
    TensorSpec input = inputs.fed(wanted, type);
    Shape shape = Shape.of(keys.dims());
    try (var elements = new TensorBuilder(input.type(), capacity(input, shape))) {
      int position = keys.list(type);
      if (position >= 0) {
        in.seek(position);
        readList(place + "." + type.list(), input, GrpsValueReader.of(type), elements);
      }
      inputs.add(input, elements, shape, type);
    }
  }

  /**
   * Returns the capacity for the values: that of the shape, if the text can hold so many values.
   */
  private long capacity(TensorSpec input, Shape shape) {
    long elements = RequestInputs.elementCount(input, shape);
    return Math.min(elements, in.position() / 2L) * Math.max(input.type().byteSize(), 4);
  }

  private void readList(
      String place, TensorSpec input, GrpsValueReader reader, TensorBuilder elements) {
    in.beginArray();
    while (in.nextElement()) {
      int before = in.position();
      if (!reader.read(in, elements)) {
        in.seek(before);
        throw GrpsJson.wrong(
            in,
            "%s[%d] of %s".formatted(place, elements.elements(), RequestInputs.label(input)),
            ElementConversion.wanted(input.type()));
      }
    }
  }
}
