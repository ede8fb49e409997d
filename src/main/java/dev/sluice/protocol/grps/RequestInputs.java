package dev.sluice.protocol.grps;

import dev.sluice.inference.BoundedText;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Gathers what a request brings for a model's inputs. Tensors are all named, in any order, or all
 * unnamed, in the model's order.
 *
 * <p>Owner: owns the tensors until {@link #take}; {@link #close} frees what was not taken. The
 * model is only looked at.
 */
public final class RequestInputs implements AutoCloseable {
  private final String model;
  private final Signature signature;
  private final boolean open;
  private final Set<String> parameters;
  private final Map<String, ParameterValue> said = new LinkedHashMap<>();
  private final List<NamedTensor> given = new ArrayList<>();

  /** Entries of maps that a plugin gets: which there are, and those that are bytes. */
  private final Set<String> entries = new HashSet<>();

  private final List<NamedTensor> bytes = new ArrayList<>();
  private boolean taken;
  private int asked;
  private boolean named;

  /**
   * @throws InferenceException INVALID_ARGUMENT if the model has several signatures and none of
   *     them is the default: grps cannot name one
   */
  public RequestInputs(ModelLease model) {
    this.model = model.id().name();
    this.signature = signature(model);
    this.open = model.metadata().open();
    this.parameters = model.metadata().parameters();
  }

  private static Signature signature(ModelLease model) {
    var signatures = model.metadata().signatures();
    if (signatures.size() == 1) {
      return signatures.values().iterator().next();
    }
    return model
        .metadata()
        .signature("")
        .orElseThrow(() ->
            InferenceException.invalid(
                "model %s has no signature %s, and grps cannot name another; it has: %s"
                    .formatted(
                        model.id().name(),
                        Signature.DEFAULT,
                        String.join(", ", signatures.keySet()))));
  }

  /** Returns the signature that the inputs are read for. */
  public Signature signature() {
    return signature;
  }

  /**
   * Sets the parameters that describe the message to a model that takes anything.
   *
   * @param named the model's name in the message; empty if there is none
   */
  public void message(DataForm form, String named) {
    if (open) {
      if (form != DataForm.NOTHING) {
        said.put(PluginParameters.DATA, new ParameterValue.Text(form.field()));
      }
      if (!named.isEmpty()) {
        said.put(PluginParameters.MODEL, new ParameterValue.Text(named));
      }
    }
  }

  /** Returns the parameters of the request besides its tensors. */
  RequestOptions options() {
    return said.isEmpty() ? RequestOptions.NONE : new RequestOptions(0, SequenceStep.NONE, said);
  }

  /**
   * Returns the input that the next tensor of the request is for.
   *
   * @param name the tensor's name; empty if it has none
   */
  public TensorSpec next(String name) {
    boolean isNamed = !name.isEmpty();
    if (asked > 0 && isNamed != named) {
      throw InferenceException.invalid(
          "some tensors have names and some have none; name all of them or none");
    }
    named = isNamed;
    asked++;
    if (open) {
      return isNamed ? unnamedBefore(name) : undeclared("", DataType.UNSUPPORTED, Shape.UNKNOWN);
    }
    return isNamed ? named(name) : byPosition(asked - 1);
  }

  private static TensorSpec undeclared(String name, DataType type, Shape shape) {
    return new TensorSpec(name, type, shape);
  }

  private TensorSpec unnamedBefore(String name) {
    requireNew(name);
    return undeclared(name, DataType.UNSUPPORTED, Shape.UNKNOWN);
  }

  /**
   * Returns the input that an entry of a map is for, which was not given yet. A plugin that takes
   * messages as they are gets keys that stand in several maps once for each of them. An entry may
   * also be named like a parameter that the model heeds.
   */
  public TensorSpec entry(String name, MapKind kind) {
    if (!open && !isParameter(name)) {
      return named(name);
    }
    if (!entries.add(kind.field() + "." + name)) {
      throw twice(name);
    }
    return undeclared(name, kind.natural(), Shape.of(1));
  }

  /**
   * Requires that the model can be asked without data.
   *
   * @throws InferenceException INVALID_ARGUMENT if it has an input that must be given
   */
  public void requireNone() {
    if (!open && signature.inputs().stream().anyMatch(spec -> !spec.optional())) {
      throw InferenceException.invalid(
          "the message has no data; wanted one of bin_data, str_data, gtensors and gmap for model"
              + " %s, whose inputs are %s".formatted(model, inputs()));
    }
  }

  /** Returns the input of a name, which was not given yet. */
  private TensorSpec named(String name) {
    TensorSpec spec =
        signature
            .input(name)
            .orElseThrow(() ->
                InferenceException.invalid(
                    "model %s has no input %s; its inputs are %s"
                        .formatted(model, BoundedText.cut(name, 100), inputs())));
    requireNew(name);
    return spec;
  }

  private void requireNew(String name) {
    if (isGiven(name)) {
      throw twice(name);
    }
  }

  private static InferenceException twice(String name) {
    return InferenceException.invalid("input " + BoundedText.cut(name, 100) + " is given twice");
  }

  private TensorSpec byPosition(int position) {
    if (position >= signature.inputs().size()) {
      throw InferenceException.invalid(
          "model %s takes %d tensors, got more; its inputs are %s"
              .formatted(model, signature.inputs().size(), inputs()));
    }
    return signature.inputs().get(position);
  }

  /**
   * Returns the input that data without a name feeds: the only one, or the only one that must be
   * given.
   *
   * @param what the data, for the text
   */
  public TensorSpec only(DataForm what) {
    if (open) {
      return what == DataForm.NDARRAY
          ? undeclared("", DataType.FP32, Shape.UNKNOWN)
          : undeclared("", DataType.BYTES, Shape.of(1));
    }
    List<TensorSpec> inputs = signature.inputs();
    List<TensorSpec> required =
        inputs.size() == 1 ? inputs : inputs.stream().filter(spec -> !spec.optional()).toList();
    if (required.size() != 1) {
      throw InferenceException.invalid(
          "%s feeds a model that takes one tensor; model %s takes %d: %s. Send gtensors"
              .formatted(what.field(), model, inputs.size(), inputs()));
    }
    return required.getFirst();
  }

  /**
   * Returns an input that a tensor of a type may feed; one that was not declared has the tensor's
   * type.
   */
  public TensorSpec fed(TensorSpec input, GrpsType type) {
    if (open) {
      return undeclared(input.name(), type.natural(), Shape.UNKNOWN);
    }
    if (!type.feeds(input.type())) {
      throw InferenceException.invalid(
          "input %s of model %s: got %s, wanted %s"
              .formatted(input.name(), model, type.wireName(), wanted(input)));
    }
    return input;
  }

  /** Returns the types that may feed an input, for texts. */
  private static String wanted(TensorSpec input) {
    String types =
        GrpsType.all().stream()
            .filter(type -> type.feeds(input.type()))
            .map(GrpsType::wireName)
            .collect(Collectors.joining(" or "));
    return types.isEmpty()
        ? "nothing: its type " + input.nativeType() + " is not supported"
        : types;
  }

  /**
   * Returns an input's name for error texts; an input has no name if a plugin takes a tensor
   * without one.
   */
  public static String label(TensorSpec input) {
    return input.name().isEmpty() ? "input without a name" : "input " + input.name();
  }

  /** Returns the types that an input takes when the request does not name one. */
  public InferenceException untyped(TensorSpec input) {
    return InferenceException.invalid(
        "the tensor for %s has no dtype; wanted %s"
            .formatted(label(input), open ? "one" : wanted(input)));
  }

  /** Adds a tensor, taking it over. */
  public void add(TensorSpec input, Tensor tensor) {
    given.add(new NamedTensor(input.name(), tensor));
  }

  /**
   * Adds the value of an entry, taking it over. A plugin gets bytes last, so that of a text and
   * bytes of one key the latter are known.
   */
  public void addEntry(MapKind kind, TensorSpec input, Tensor value) {
    if (isParameter(input.name())) {
      try (value) {
        said.put(input.name(), MapParameter.of(input.name(), kind, value));
      }
    } else if (open && kind == MapKind.BYTES) {
      said.put(PluginParameters.BYTES + input.name(), new ParameterValue.Flag(true));
      bytes.add(new NamedTensor(input.name(), value));
    } else {
      add(input, value);
    }
  }

  private boolean isParameter(String name) {
    return !open && parameters.contains(name) && signature.input(name).isEmpty();
  }

  /**
   * Adds what a builder was filled with.
   *
   * @throws InferenceException INVALID_ARGUMENT if the shape holds another number of elements; the
   *     builder keeps them
   */
  public void add(TensorSpec input, TensorBuilder elements, Shape shape, GrpsType type) {
    long expected = elementCount(input, shape);
    if (expected != elements.elements()) {
      throw new InferenceException(
          // grps' own servers let the model find out, and a plugin is asked as there.
          open ? ErrorCode.INTERNAL : ErrorCode.INVALID_ARGUMENT,
          "%s: size not match, shape: %s expected size: %d, actual size: %d (from %s)"
              .formatted(label(input), shape, expected, elements.elements(), type.list()));
    }
    add(input, elements.build(shape));
  }

  /** Returns the elements of a shape that a request brought, whose product may be anything. */
  public static long elementCount(TensorSpec input, Shape shape) {
    try {
      return shape.elementCount();
    } catch (ArithmeticException e) {
      throw InferenceException.invalid(
          "%s: shape %s has more elements than can be counted".formatted(label(input), shape));
    }
  }

  /** Hands over the tensors, once every input that must be given was. */
  public List<NamedTensor> take() {
    for (TensorSpec spec : signature.inputs()) {
      if (!spec.optional() && !isGiven(spec.name())) {
        throw InferenceException.invalid("Input tensor is not found, name: " + spec.name());
      }
    }
    given.addAll(bytes);
    taken = true;
    return given;
  }

  private boolean isGiven(String name) {
    for (NamedTensor tensor : given) {
      if (tensor.name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  private String inputs() {
    return signature.inputs().stream().map(TensorSpec::name).collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    if (!taken) {
      NamedTensor.closeAll(given);
      NamedTensor.closeAll(bytes);
    }
  }
}
