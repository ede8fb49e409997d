package dev.sluice.boot.infer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.config.binding.ConfigException;
import dev.sluice.tensor.DataType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** The JSON of a request with some inputs, in the form of each protocol. */
final class RequestForms {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private RequestForms() {}

  /** Returns a request of V2. */
  static ObjectNode openInference(List<InputTensor> inputs, List<String> outputs) {
    ObjectNode request = JSON.objectNode();
    ArrayNode tensors = request.putArray("inputs");
    for (InputTensor input : inputs) {
      ObjectNode tensor = tensors.addObject().put("name", input.name());
      tensor.put("datatype", input.type().name());
      input.shape().forEach(tensor.putArray("shape")::add);
      tensor.set("data", input.data());
    }
    if (!outputs.isEmpty()) {
      ArrayNode wanted = request.putArray("outputs");
      outputs.forEach(output -> wanted.addObject().put("name", output));
    }
    return request;
  }

  /** Returns a V2 request with its values where its message has them. */
  static ObjectNode openInferenceMessage(ObjectNode request) {
    ObjectNode message = request.deepCopy();
    for (JsonNode input : message.path("inputs")) {
      JsonNode data = ((ObjectNode) input).remove("data");
      if (data != null) {
        DataType type = type(input.path("datatype").asText());
        ArrayNode values = ((ObjectNode) input).putObject("contents").putArray(contents(type));
        flatten(data, value -> values.add(type == DataType.BYTES ? base64(value) : value));
      }
    }
    return message;
  }

  private static DataType type(String name) {
    try {
      return DataType.valueOf(name);
    } catch (IllegalArgumentException _) {
      throw new ConfigException("the datatype '" + name + "' is none of V2");
    }
  }

  private static void flatten(JsonNode data, Consumer<JsonNode> each) {
    if (data.isArray()) {
      data.forEach(inner -> flatten(inner, each));
    } else {
      each.accept(data);
    }
  }

  private static JsonNode base64(JsonNode text) {
    return JSON.binaryNode(text.asText().getBytes(StandardCharsets.UTF_8));
  }

  private static String contents(DataType type) {
    return switch (type) {
      case BOOL -> "bool_contents";
      case INT8, INT16, INT32 -> "int_contents";
      case INT64 -> "int64_contents";
      case UINT8, UINT16, UINT32 -> "uint_contents";
      case UINT64 -> "uint64_contents";
      case FP32 -> "fp32_contents";
      case FP64 -> "fp64_contents";
      case BYTES -> "bytes_contents";
      default -> throw unsupported(type);
    };
  }

  /** Returns a request of V1 by rows. */
  static ObjectNode rows(List<InputTensor> inputs) {
    List<Integer> counts =
        inputs.stream()
            .map(input -> input.shape().isEmpty() ? 0 : input.shape().getFirst())
            .distinct()
            .toList();
    if (counts.size() != 1) {
      throw new ConfigException("inputs have " + counts + " rows; wanted as many of each");
    }
    ObjectNode request = JSON.objectNode();
    ArrayNode rows = request.putArray("instances");
    for (int i = 0; i < counts.getFirst(); i++) {
      if (inputs.size() == 1) {
        rows.add(inputs.getFirst().nested().get(i));
      } else {
        ObjectNode row = rows.addObject();
        for (InputTensor input : inputs) {
          row.set(input.name(), input.nested().get(i));
        }
      }
    }
    return request;
  }

  /** Returns a REST request of TensorFlow Serving by columns. */
  static ObjectNode columns(List<InputTensor> inputs) {
    ObjectNode request = JSON.objectNode();
    ObjectNode columns = request.putObject("inputs");
    inputs.forEach(input -> columns.set(input.name(), input.nested()));
    return request;
  }

  /** Returns a PredictRequest of TensorFlow Serving. */
  static ObjectNode predict(List<InputTensor> inputs, List<String> outputs) {
    ObjectNode request = JSON.objectNode();
    ObjectNode tensors = request.putObject("inputs");
    for (InputTensor input : inputs) {
      TensorflowField field = TensorflowField.of(input.type());
      ObjectNode tensor = tensors.putObject(input.name()).put("dtype", field.type());
      ArrayNode dims = tensor.putObject("tensor_shape").putArray("dim");
      input.shape().forEach(size -> dims.addObject().put("size", size));
      ArrayNode values = tensor.putArray(field.values());
      input
          .data()
          .forEach(value -> values.add(input.type() == DataType.BYTES ? base64(value) : value));
    }
    outputs.forEach(request.putArray("output_filter")::add);
    return request;
  }

  /** The names of a type, and of the field that has its values. */
  private record TensorflowField(String type, String values) {
    static TensorflowField of(DataType type) {
      return switch (type) {
        case FP32 -> new TensorflowField("DT_FLOAT", "float_val");
        case FP64 -> new TensorflowField("DT_DOUBLE", "double_val");
        case INT64 -> new TensorflowField("DT_INT64", "int64_val");
        case UINT64 -> new TensorflowField("DT_UINT64", "uint64_val");
        case UINT32 -> new TensorflowField("DT_UINT32", "uint32_val");
        case INT8, INT16, INT32, UINT8, UINT16 -> new TensorflowField("DT_" + type, "int_val");
        case BOOL -> new TensorflowField("DT_BOOL", "bool_val");
        case BYTES -> new TensorflowField("DT_STRING", "string_val");
        default -> throw unsupported(type);
      };
    }
  }

  /** Returns a message of grps. */
  static ObjectNode grps(List<InputTensor> inputs) {
    ObjectNode request = JSON.objectNode();
    ArrayNode tensors = request.putObject("gtensors").putArray("tensors");
    for (InputTensor input : inputs) {
      String type =
          switch (input.type()) {
            case INT8, INT16, INT32, INT64, UINT8 -> input.type().name();
            case FP16, FP32, FP64 -> input.type().name().replace("FP", "FLOAT");
            case BYTES -> "STRING";
            default -> throw unsupported(input.type());
          };
      ObjectNode tensor = tensors.addObject().put("name", input.name()).put("dtype", "DT_" + type);
      input.shape().forEach(tensor.putArray("shape")::add);
      tensor.set("flat_" + type.toLowerCase(Locale.ROOT), input.data());
    }
    return request;
  }

  private static ConfigException unsupported(DataType type) {
    return new ConfigException("elements of " + type + " cannot be sent by this protocol as text");
  }
}
