package dev.sluice.boot.warmup;

import static dev.sluice.boot.warmup.WireBytes.ascii;
import static dev.sluice.boot.warmup.WireBytes.join;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A request over HTTP/1.1: JSON, and what may follow behind it. Any thread.
 *
 * @param path with what a client appends to it
 * @param json of the body
 * @param raw tensors behind it; empty if all numbers are in the JSON
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record HttpCall(String path, String json, byte[] raw) {
  private static final byte[] NOTHING = {};
  private static final String VALUES = "[1.0,2.5,3,-4e-1]";
  private static final int FEW = 4;

  /** Two runs of what is parsed together. */
  private static final int MANY = 64;

  /** Of different lengths, as numbers of clients are. */
  private static final String MANY_VALUES =
      IntStream.range(0, MANY)
          .mapToObj(i -> Float.toString((i - MANY / 2) / (1f + i % 7)))
          .collect(Collectors.joining(",", "[", "]"));

  /** As KServe and TensorFlow Serving's clients send it: rows of numbers, and of named ones. */
  static List<HttpCall> v1(String model) {
    String path = "/v1/models/" + model + ":predict";
    return List.of(
        of(path, "{\"instances\":" + VALUES + "}"),
        of(path, "{\"instances\":[{\"x\":1.0},{\"x\":-2.5}]}"));
  }

  /**
   * As Triton's and KServe's clients send it: in JSON and raw, asked for all outputs and for one by
   * its name.
   */
  static List<HttpCall> v2(String model) {
    String path = "/v2/models/" + model + "/infer";
    String input = "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[%d],%s}]%s}";
    String numbers = "\"data\":";
    String size = "\"parameters\":{\"binary_data_size\":16}";
    return List.of(
        of(path, input.formatted(FEW, numbers + VALUES, "")),
        of(
            "/v2/models/" + model + "/versions/1/infer",
            input.formatted(MANY, numbers + MANY_VALUES, ",\"outputs\":[{\"name\":\"y\"}]")),
        new HttpCall(
            path,
            input.formatted(
                FEW, size, ",\"outputs\":[{\"name\":\"y\",\"parameters\":{\"binary_data\":true}}]"),
            InferenceMessages.numbers()),
        new HttpCall(
            path,
            input.formatted(FEW, size, ",\"parameters\":{\"binary_data_output\":true}"),
            InferenceMessages.numbers()));
  }

  /** As grps' clients send it. */
  static HttpCall grps(String model) {
    return of(
        "/grps/v1/infer/predict",
        "{\"model\":\"%s\",\"gtensors\":{\"tensors\":[{\"name\":\"x\",\"dtype\":\"DT_FLOAT32\",%s}]}}"
            .formatted(model, "\"shape\":[4],\"flat_float32\":" + VALUES));
  }

  static HttpCall of(String path, String json) {
    return new HttpCall(path, json, NOTHING);
  }

  /** What clients get wrong about it. */
  List<HttpCall> refused() {
    return List.of(
        new HttpCall(path, json.substring(0, json.length() / 2), raw),
        new HttpCall(path, json.replace("1.0", "\"text\""), Arrays.copyOf(raw, raw.length / 2)),
        new HttpCall(
            path.replace("/models/", "/models/no-"),
            json.replace("\"model\":\"", "\"model\":\"no-"),
            raw),
        of(path + "/missing", ""));
  }

  /** Returns its bytes, with more lines in its head. */
  byte[] request(String more) {
    byte[] body = ascii(json);
    String content =
        raw.length == 0
            ? "Content-Type: application/json\r\n"
            : "Content-Type: application/octet-stream\r\nInference-Header-Content-Length: "
                + (body.length + "\r\n");
    String head =
        ("POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + content)
            + ("Content-Length: " + (body.length + raw.length) + "\r\n\r\n");
    return join(ascii(head), body, raw);
  }
}
