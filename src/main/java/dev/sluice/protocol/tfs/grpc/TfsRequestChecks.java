package dev.sluice.protocol.tfs.grpc;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.tfs.grpc.wire.DeclaredType;
import dev.sluice.protocol.tfs.grpc.wire.EncodedTensor;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.TensorSpec;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks a request against its signature, in TensorFlow Serving's order and words.
 *
 * <p>Texts are TensorFlow Serving's, letter by letter where clients show them; the order decides
 * which of two faults is reported.
 */
final class TfsRequestChecks {
  /** Inputs, outputs or tasks that a request may name: more than any model has. */
  private static final int MOST = 4096;

  private TfsRequestChecks() {}

  /**
   * Checks, while a message is still being read, that one more element may be kept: each becomes
   * objects that are much larger than the two bytes that it may have on the wire.
   *
   * @param what they are, for texts
   * @param kept how many there are already
   * @throws InferenceException with INVALID_ARGUMENT if that is the limit
   */
  static void requireCapacity(String what, int kept) {
    if (kept == MOST) {
      throw InferenceException.invalid("the request has more than %d %s".formatted(MOST, what));
    }
  }

  static Signature signature(ModelMetadata model, String name) {
    return model
        .signature(name)
        .orElseThrow(() ->
            new InferenceException(
                ErrorCode.FAILED_PRECONDITION,
                "Serving signature key \""
                    + (name.isEmpty() ? Signature.DEFAULT : name)
                    + "\" not found."));
  }

  /** Refuses missing inputs and inputs that the signature has not. */
  static void names(Signature signature, Map<String, Body> inputs) {
    int wanted = signature.inputs().size();
    if (inputs.size() > wanted || (inputs.size() < wanted && defaults(signature).isEmpty())) {
      throw wrongCount(signature, inputs.keySet());
    }
    int used = 0;
    for (TensorSpec spec : signature.inputs()) {
      if (inputs.containsKey(spec.name())) {
        used++;
      } else if (!spec.optional()) {
        throw missing(signature, spec, inputs.keySet());
      }
    }
    if (used < inputs.size()) {
      throw unknownName(signature, inputs.keySet());
    }
  }

  /** Refuses a tensor whose type is not the declared one. */
  static void type(Signature signature, int index, EncodedTensor tensor) {
    TensorSpec spec = signature.inputs().get(index);
    if (spec.type() != tensor.type().type()) {
      throw InferenceException.invalid(
          "Expects arg[%d] to be %s but %s is provided"
              .formatted(index, DeclaredType.text(spec), tensor.type().text()));
    }
  }

  /** Refuses a tensor that does not fit the declared shape. */
  static void shape(TensorSpec spec, EncodedTensor tensor) {
    if (!spec.shape().accepts(tensor.shape())) {
      throw InferenceException.invalid(
          "input \"%s\" has shape %s, the model takes %s"
              .formatted(spec.name(), tensor.shape(), spec.shape()));
    }
  }

  /** Refuses outputs that the signature has not, and outputs wanted twice. */
  static void outputs(Signature signature, List<String> filter) {
    Set<String> seen = new HashSet<>();
    for (String name : filter) {
      if (signature.output(name).isEmpty()) {
        throw InferenceException.invalid(
            "output tensor alias not found in signature: %s Outputs expected to be in the set {%s}."
                .formatted(name, sorted(names(signature.outputs()))));
      }
      if (!seen.add(name)) {
        throw InferenceException.invalid("duplicate output tensor alias: " + name);
      }
    }
  }

  /** Refuses to leave an output out of the answer because its type cannot be sent. */
  static void types(Signature signature, List<String> filter) {
    if (!filter.isEmpty()) {
      return;
    }
    for (TensorSpec output : signature.outputs()) {
      if (output.type() == DataType.UNSUPPORTED && TensorflowTypeNames.isTensorflow(output)) {
        throw new InferenceException(
            ErrorCode.UNIMPLEMENTED,
            "output \"%s\" is %s, a type that is not supported; name the outputs that are wanted in output_filter"
                .formatted(output.name(), output.nativeType()));
      }
    }
  }

  private static InferenceException wrongCount(Signature signature, Set<String> sent) {
    List<String> wanted = names(signature.inputs());
    return InferenceException.invalid(
        ("input size does not match signature: %d!=%d len({%s}) != len({%s})."
                + " Sent extra: {%s}. Missing but required: {%s}.")
            .formatted(
                sent.size(),
                wanted.size(),
                sorted(sent),
                sorted(wanted),
                without(sent, wanted),
                without(wanted, sent)));
  }

  private static InferenceException missing(
      Signature signature, TensorSpec spec, Set<String> sent) {
    return InferenceException.invalid(
        ("Signature input alias: %s(feed name: %s) not found in request and no default value"
                + " provided. Inputs expected to be in the request {%s}, or default input alias"
                + " set: %s")
            .formatted(spec.name(), spec.nativeName(), sorted(sent), sorted(defaults(signature))));
  }

  private static InferenceException unknownName(Signature signature, Set<String> sent) {
    Set<String> used = new TreeSet<>(sent);
    used.retainAll(new HashSet<>(names(signature.inputs())));
    return InferenceException.invalid(
        "Inputs contains invalid name. Used request inputs: %s, request input: %s"
            .formatted(sorted(used), sorted(sent)));
  }

  private static List<String> names(List<TensorSpec> specs) {
    return specs.stream().map(TensorSpec::name).toList();
  }

  private static List<String> defaults(Signature signature) {
    List<String> names = new ArrayList<>();
    for (TensorSpec spec : signature.inputs()) {
      if (spec.optional()) {
        names.add(spec.name());
      }
    }
    return names;
  }

  private static String without(Collection<String> names, Collection<String> others) {
    Set<String> rest = new TreeSet<>(names);
    rest.removeAll(new HashSet<>(others));
    return sorted(rest);
  }

  /** Names as texts list them. Of a request with very many, the first hundred. */
  private static String sorted(Collection<String> names) {
    return String.join(",", names.stream().sorted().limit(100).toList());
  }
}
