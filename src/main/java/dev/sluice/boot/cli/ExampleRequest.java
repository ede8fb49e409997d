package dev.sluice.boot.cli;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.config.server.ListenerConfig.Protocol;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A request to try, made up from what a served model says of itself.
 *
 * <p>Threads: the one that starts the server. Only reads metadata; no model runs.
 */
final class ExampleRequest {
  /** More numbers than anyone wants on a command line. */
  private static final long MOST_ELEMENTS = 1_000;

  private final ListenerConfig listener;
  private final String url;

  /**
   * @param listener the settings of the listener that is asked
   * @param address where it really listens
   */
  ExampleRequest(ListenerConfig listener, String address) {
    this.listener = listener;
    this.url = listener.tls().isEmpty() ? url(address) : url(address).replaceFirst("http", "https");
  }

  /** Returns an address a browser on this machine can open. */
  static String url(String address) {
    return "http://" + address.replaceFirst("^(0\\.0\\.0\\.0|\\[::])", "localhost");
  }

  /**
   * Returns the shortest {@code curl} that one of the models answers, if possible one that answers
   * with a single response; empty if there is none.
   */
  Optional<String> curl(List<ModelLine> models) {
    return shortest(models, false).or(() -> shortest(models, true));
  }

  private Optional<String> shortest(List<ModelLine> models, boolean decoupled) {
    return models.stream()
        .filter(model -> model.isAvailable() && isDecoupled(model) == decoupled)
        .flatMap(model -> signature(model).flatMap(s -> curl(model, s)).stream())
        .min(Comparator.comparingInt(String::length));
  }

  private static boolean isDecoupled(ModelLine model) {
    return model.metadata().filter(ModelMetadata::decoupled).isPresent();
  }

  private Optional<String> curl(ModelLine model, Signature signature) {
    return isDecoupled(model) ? stream(model.model(), signature) : curl(model.model(), signature);
  }

  private Optional<String> stream(String model, Signature signature) {
    if (!speaks(Protocol.OIP)) {
      return Optional.empty();
    }
    List<String> members =
        required(signature).stream()
            .map(input -> quoted(input.name()) + ":" + scalarOrList(flat(input)))
            .toList();
    String path = "/v2/models/" + encoded(model) + "/generate_stream";
    return Optional.of(curl(path, "{" + String.join(",", members) + "}"));
  }

  private static String scalarOrList(List<String> values) {
    return values.size() == 1 ? values.getFirst() : "[" + String.join(",", values) + "]";
  }

  private static Optional<Signature> signature(ModelLine model) {
    return model
        .metadata()
        .flatMap(metadata -> metadata.signature(""))
        .filter(signature -> isShort(required(signature)));
  }

  private static List<TensorSpec> required(Signature signature) {
    return signature.inputs().stream().filter(input -> !input.optional()).toList();
  }

  private static boolean isShort(List<TensorSpec> inputs) {
    return inputs.stream().allMatch(input -> input.type().isCommon())
        && inputs.stream().mapToDouble(ExampleRequest::elements).sum() <= MOST_ELEMENTS;
  }

  /** Multiplied step by step, so that a huge shape cannot overflow. */
  private static double elements(TensorSpec input) {
    double elements = 1;
    for (long dim : dims(input)) {
      elements *= dim;
    }
    return elements;
  }

  private Optional<String> curl(String model, Signature signature) {
    List<TensorSpec> inputs = required(signature);
    if (hasRows(inputs) && (speaks(Protocol.TFS) || speaks(Protocol.KSERVE))) {
      return Optional.of(curl("/v1/models/" + encoded(model) + ":predict", rows(inputs)));
    }
    return speaks(Protocol.OIP)
        ? Optional.of(curl("/v2/models/" + encoded(model) + "/infer", tensors(inputs)))
        : Optional.empty();
  }

  private boolean speaks(Protocol protocol) {
    return listener.protocols().contains(protocol);
  }

  /**
   * Returns whether all inputs are open in their first dimension, so that a row is an element of
   * each.
   */
  private static boolean hasRows(List<TensorSpec> inputs) {
    return !inputs.isEmpty()
        && inputs.stream()
            .map(TensorSpec::shape)
            .allMatch(s -> s.isRankKnown() && s.rank() > 0 && s.dim(0) == Shape.ANY);
  }

  private static String rows(List<TensorSpec> inputs) {
    if (inputs.size() == 1) {
      return "{\"instances\":[" + nested(inputs.getFirst(), 1) + "]}";
    }
    List<String> named =
        inputs.stream().map(input -> quoted(input.name()) + ":" + nested(input, 1)).toList();
    return "{\"instances\":[{" + String.join(",", named) + "}]}";
  }

  private static String tensors(List<TensorSpec> inputs) {
    List<String> tensors =
        inputs.stream()
            .map(input ->
                "{\"name\":"
                    + quoted(input.name())
                    + ",\"datatype\":\""
                    + input.type()
                    + "\",\"shape\":"
                    + dims(input).toString().replace(" ", "")
                    + ",\"data\":"
                    + "["
                    + String.join(",", flat(input))
                    + "]}")
            .toList();
    return "{\"inputs\":[" + String.join(",", tensors) + "]}";
  }

  private static List<String> flat(TensorSpec input) {
    long elements = dims(input).stream().reduce(1L, (a, b) -> a * b);
    return Collections.nCopies((int) elements, value(input.type()));
  }

  /** Returns the elements inside the first so many dimensions, as nested lists. */
  private static String nested(TensorSpec input, int from) {
    List<Long> dims = dims(input);
    String text = value(input.type());
    for (int i = dims.size() - 1; i >= from; i--) {
      text = "[" + String.join(",", Collections.nCopies(dims.get(i).intValue(), text)) + "]";
    }
    return text;
  }

  /**
   * Returns a full shape that fits: an open dimension is 1, and so is a shape that nothing is known
   * of.
   */
  private static List<Long> dims(TensorSpec input) {
    Shape shape = input.shape();
    if (!shape.isRankKnown()) {
      return List.of(1L);
    }
    return Arrays.stream(shape.dims()).map(dim -> dim == Shape.ANY ? 1 : dim).boxed().toList();
  }

  /** Whole numbers are 0, which is in range wherever they are positions. */
  private static String value(DataType type) {
    return switch (type) {
      case BOOL -> "false";
      case UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64 -> "0";
      case FP16, BF16, FP32, FP64 -> "1.0";
      default -> "\"text\"";
    };
  }

  private String curl(String path, String body) {
    return "curl -d '" + body.replace("'", "'\\''") + "' " + url + path;
  }

  private static String quoted(String text) {
    return "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
