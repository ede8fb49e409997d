package dev.sluice.protocol.oip.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonElements;
import dev.sluice.protocol.oip.Excerpt;
import dev.sluice.protocol.oip.InputHead;
import dev.sluice.protocol.oip.http.json.JsonFields;
import dev.sluice.protocol.oip.http.json.JsonParameters;
import dev.sluice.protocol.oip.http.json.JsonRequestBody;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The flat JSON of the generate extension: members named like the model's inputs are tensors, their
 * type and shape deduced; {@code id} and {@code parameters} mean what they say; all others are
 * parameters (src/docs/reference/protocols/open-inference.md, generate). Owns the tensors until
 * {@link #close}.
 */
final class GenerateRequest extends JsonRequestBody {
  private final Signature signature;
  private final List<NamedTensor> inputs = new ArrayList<>();

  private GenerateRequest(Body json, Signature signature) {
    super(json);
    this.signature = signature;
  }

  /**
   * Reads a body for a model.
   *
   * @param signature the model's, whose inputs members are named like
   * @throws InferenceException with INVALID_ARGUMENT if it is no such JSON
   */
  static GenerateRequest read(Body json, Signature signature) {
    var request = new GenerateRequest(json, signature);
    request.readWhole();
    return request;
  }

  List<InputHead> heads() {
    List<InputHead> heads = new ArrayList<>(inputs.size());
    for (NamedTensor input : inputs) {
      heads.add(new InputHead(input.name(), input.tensor().type(), input.tensor().shape()));
    }
    return heads;
  }

  /** Returns the tensors, which are the caller's from now on. */
  List<NamedTensor> takeInputs() {
    handOver();
    return inputs;
  }

  @Override
  protected void closeTensors() {
    NamedTensor.closeAll(inputs);
  }

  @Override
  protected void read() {
    JsonFields.beginObject(in, "request");
    while (in.nextKey()) {
      if (in.keyIs("parameters") && signature.input("parameters").isEmpty()) {
        readParameters();
      } else {
        member(in.key());
      }
    }
    in.finish();
  }

  private void readParameters() {
    if (in.peek() != Kind.OBJECT) {
      throw InferenceException.invalid(
          "Expected JSON object for keyword: 'parameters', got " + JsonFields.excerpt(in));
    }
    in.beginObject();
    while (in.nextKey()) {
      member(in.key());
    }
  }

  private void member(String name) {
    Optional<TensorSpec> input = signature.input(name);
    if (input.isPresent()) {
      inputs.add(new NamedTensor(name, tensor(input.get())));
    } else if (name.equals("id")) {
      id(JsonFields.string(in, "id"));
    } else {
      JsonParameters.readInto(parameters(), name, in);
    }
  }

  private Tensor tensor(TensorSpec input) {
    for (NamedTensor other : inputs) {
      if (other.name().equals(input.name())) {
        throw InferenceException.invalid("input '" + input.name() + "' already exists in request");
      }
    }
    try (var builder = new TensorBuilder(input.type(), 64)) {
      values(input, JsonElements.of(input.type()), builder);
      return builder.build(shape(input, builder.elements()));
    }
  }

  /** Reads a value alone, or a flat array of them. */
  private void values(TensorSpec input, JsonElements elements, TensorBuilder out) {
    if (in.peek() != Kind.ARRAY) {
      value(input, elements, out);
      return;
    }
    in.beginArray();
    while (in.nextElement()) {
      if (elements.readRun(in, out, Long.MAX_VALUE) == 0) {
        value(input, elements, out);
      }
    }
  }

  private void value(TensorSpec input, JsonElements elements, TensorBuilder out) {
    if (!elements.read(in, out)) {
      throw InferenceException.invalid(
          "Unable to parse '"
              + input.name()
              + "': element "
              + out.elements()
              + " is "
              + JsonFields.excerpt(in)
              + ", wanted "
              + input.type());
    }
  }

  /**
   * Returns the shape of the data; the innermost open dimension takes what the others leave, which
   * are 1.
   */
  private static Shape shape(TensorSpec input, long elements) {
    if (!input.shape().isRankKnown()) {
      return Shape.of(elements);
    }
    long[] dims = input.shape().dims();
    int open = -1;
    long rest = 1;
    for (int i = dims.length - 1; i >= 0; i--) {
      if (dims[i] == Shape.ANY) {
        open = open < 0 ? i : open;
        dims[i] = 1;
      }
      rest *= dims[i];
    }
    if (open >= 0 && rest > 0 && elements % rest == 0) {
      dims[open] = elements / rest;
      rest = elements;
    }
    if (rest != elements) {
      throw InferenceException.invalid(
          "The schema can not convert input '"
              + Excerpt.of(input.name())
              + "' to tensor with proper shape: it has "
              + elements
              + " elements, wanted shape "
              + input.shape());
    }
    return Shape.of(dims);
  }
}
