package dev.sluice.protocol.grps;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The form in which a model's outputs go back. It is the form of the request where that can carry
 * them, so that text is answered with text:
 *
 * <ul>
 *   <li>{@code str_data} gets the one text among the outputs as {@code str_data}, also if there are
 *       numbers beside it: a language detector asked with a text names the language. A client that
 *       wants its score as well asks with gtensors or gmap. Without a text, or with several,
 *       gtensors.
 *   <li>{@code bin_data} (an octet stream) gets the only output as bytes; several come as gtensors.
 *   <li>{@code gmap} gets a gmap if every output has one element, else gtensors.
 *   <li>{@code gtensors} and {@code ndarray} get gtensors.
 * </ul>
 *
 * <p>A model of a plugin may say itself which form its answer has. An answer without outputs is a
 * status alone.
 *
 * <p>Borrows the tensors.
 */
public sealed interface ResponseForm {
  /** The one element of a BYTES tensor, which is UTF-8. */
  record Text(Tensor tensor) implements ResponseForm {}

  /** The one element of a BYTES tensor, or all elements of another, little-endian. */
  record Bytes(Tensor tensor) implements ResponseForm {}

  record Tensors(List<NamedTensor> tensors) implements ResponseForm {}

  /** Tensors of one element each. */
  record Entries(List<Entry> entries) implements ResponseForm {}

  /**
   * One value of a map.
   *
   * @param kind the map that holds it
   */
  record Entry(MapKind kind, NamedTensor value) {}

  /** No data. */
  record Nothing() implements ResponseForm {}

  /** Returns the model's name that the answer says; empty as a rule. */
  static String model(InferenceResponse response) {
    return PluginParameters.text(response, PluginParameters.MODEL);
  }

  /**
   * Chooses the form.
   *
   * @throws InferenceException INTERNAL if a plugin gave two tensors, or two entries of one map,
   *     the same name
   */
  static ResponseForm of(DataForm asked, InferenceResponse response) {
    ResponseForm answer = chosen(asked, response);
    switch (answer) {
      case Tensors(List<NamedTensor> tensors) -> requireDistinctNames(tensors);
      case Entries(List<Entry> entries) -> requireDistinctKeys(entries);
      case Text _, Bytes _, Nothing _ -> {}
    }
    return answer;
  }

  /** Returns the form that a plugin chose, or else the one that fits the request's. */
  private static ResponseForm chosen(DataForm asked, InferenceResponse response) {
    String said = PluginParameters.text(response, PluginParameters.DATA);
    if (!said.isEmpty()) {
      return said(said, response);
    }
    return response.outputs().isEmpty() ? new Nothing() : fitting(asked, response);
  }

  /** Any number of tensors may have none. */
  private static void requireDistinctNames(List<NamedTensor> tensors) {
    Set<String> names = new HashSet<>();
    for (NamedTensor tensor : tensors) {
      if (!tensor.name().isEmpty() && !names.add(tensor.name())) {
        throw twice("output '" + tensor.name() + "'");
      }
    }
  }

  /** Rejects a gmap in which two entries would have the same key. */
  private static void requireDistinctKeys(List<Entry> entries) {
    Set<String> keys = new HashSet<>();
    for (Entry entry : entries) {
      String key = entry.kind().field() + "." + entry.value().name();
      if (!keys.add(key)) {
        throw twice("entry '" + key + "'");
      }
    }
  }

  /** Makes the error for a plugin that returned the same key twice: INTERNAL, a server error. */
  private static InferenceException twice(String what) {
    return new InferenceException(ErrorCode.INTERNAL, "the model's code gave " + what + " twice");
  }

  /**
   * Returns the form that a plugin chose by its field name; gtensors if the outputs do not fit it.
   */
  private static ResponseForm said(String form, InferenceResponse response) {
    List<NamedTensor> outputs = response.outputs();
    boolean single = outputs.size() == 1 && isSingle(outputs.getFirst());
    boolean bytes = single && outputs.getFirst().tensor().type() == DataType.BYTES;
    if (form.equals(DataForm.TEXT.field()) && bytes) {
      return text(outputs);
    } else if (form.equals(DataForm.BYTES.field()) && bytes) {
      return new Bytes(outputs.getFirst().tensor());
    } else if (form.equals(DataForm.MAP.field())
        && outputs.stream().allMatch(ResponseForm::isSingle)) {
      return new Entries(entries(response));
    } else if (form.equals(DataForm.TENSORS.field()) || form.equals(DataForm.NDARRAY.field())) {
      return new Tensors(outputs);
    }
    throw new InferenceException(
        ErrorCode.INTERNAL, "the model's outputs cannot be sent as " + form);
  }

  /** Returns the keys that a map of bytes has. */
  private static Set<String> bytesOf(InferenceResponse response) {
    return response.parameters().keySet().stream()
        .filter(name -> name.startsWith(PluginParameters.BYTES))
        .map(name -> name.substring(PluginParameters.BYTES.length()))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Finds the maps: of two texts with a key of the map of bytes, the last one is meant. */
  private static List<Entry> entries(InferenceResponse response) {
    Set<String> bytes = bytesOf(response);
    var entries = new ArrayList<Entry>();
    for (NamedTensor output : response.outputs().reversed()) {
      Tensor value = output.tensor();
      boolean isBytes = value.type() == DataType.BYTES && bytes.remove(output.name());
      entries.add(new Entry(isBytes ? MapKind.BYTES : MapKind.of(value), output));
    }
    return entries.reversed();
  }

  /** Returns the form of the request, or gtensors where that cannot carry the outputs. */
  private static ResponseForm fitting(DataForm asked, InferenceResponse response) {
    List<NamedTensor> outputs = response.outputs();
    return switch (asked) {
      case TEXT -> text(outputs);
      case BYTES -> bytes(outputs);
      case MAP ->
          outputs.stream().allMatch(ResponseForm::isSingle)
              ? new Entries(entries(response))
              : new Tensors(outputs);
      case TENSORS, NDARRAY, NOTHING -> new Tensors(outputs);
    };
  }

  /** Returns the only text among the outputs; gtensors if there is none or several. */
  private static ResponseForm text(List<NamedTensor> outputs) {
    List<NamedTensor> texts =
        outputs.stream().filter(output -> output.tensor().type() == DataType.BYTES).toList();
    if (texts.size() != 1 || !isSingle(texts.getFirst())) {
      return new Tensors(outputs);
    }
    Tensor tensor = texts.getFirst().tensor();
    var element = new BytesElements(tensor);
    element.next();
    // What is not text can only be sent as bytes.
    return Utf8.isValid(element) ? new Text(tensor) : new Bytes(tensor);
  }

  /** Returns the only output as raw bytes; gtensors if there are several. */
  private static ResponseForm bytes(List<NamedTensor> outputs) {
    if (outputs.size() != 1) {
      return new Tensors(outputs);
    }
    NamedTensor only = outputs.getFirst();
    boolean whole = only.tensor().type() != DataType.BYTES || isSingle(only);
    return whole ? new Bytes(only.tensor()) : new Tensors(outputs);
  }

  /** Returns whether an output has exactly one element. */
  private static boolean isSingle(NamedTensor output) {
    return output.tensor().elementCount() == 1;
  }
}
