package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A token of an answer with its log-probability, as a generator sends it on request.
 *
 * @param text its text, or {@code bytes:\xHH} for each byte if it is a part of a character
 * @param logProb the natural logarithm of its probability
 * @param top the likeliest tokens in its place, without likeliest ones of their own
 */
public record ChosenToken(String text, float logProb, List<ChosenToken> top) {
  /** The output with the texts of the tokens; it is there if log-probabilities were asked for. */
  public static final String TEXTS = "tokens";

  private static final String PART = "bytes:\\x";

  /** Copies the list. */
  public ChosenToken {
    top = List.copyOf(top);
  }

  /** Returns the tokens of a response, which is borrowed. */
  public static List<ChosenToken> of(InferenceResponse response) {
    Tensor texts = tensor(response, TEXTS).orElseThrow();
    Tensor logProbs = tensor(response, "token_logprobs").orElseThrow();
    List<ChosenToken> top =
        tensor(response, "top_tokens")
            .map(tops -> list(tops, tensor(response, "top_logprobs").orElseThrow(), List.of(), 0))
            .orElse(List.of());
    long count = texts.elementCount();
    return list(texts, logProbs, top, count == 0 ? 0 : (int) (top.size() / count));
  }

  private static List<ChosenToken> list(
      Tensor texts, Tensor logProbs, List<ChosenToken> top, int tops) {
    List<ChosenToken> tokens = new ArrayList<>();
    var elements = new BytesElements(texts);
    for (int i = 0; elements.next(); i++) {
      float logProb = logProbs.data().getAtIndex(ValueLayout.JAVA_FLOAT, i);
      tokens.add(
          new ChosenToken(elements.toText(), logProb, top.subList(i * tops, (i + 1) * tops)));
    }
    return tokens;
  }

  private static Optional<Tensor> tensor(InferenceResponse response, String name) {
    return GeneratorOutputs.output(response, name).map(NamedTensor::tensor);
  }

  /** Writes tokens as the elements of a list: objects, each with the likeliest in its place. */
  public static void write(JsonWriter out, List<ChosenToken> tokens) {
    String before = "";
    for (ChosenToken token : tokens) {
      token.open(out.raw(before)).raw(",\"top_logprobs\":[");
      for (int i = 0; i < token.top.size(); i++) {
        token.top.get(i).open(out.raw(i == 0 ? "" : ",")).raw('}');
      }
      out.raw("]}");
      before = ",";
    }
  }

  /** Writes it, and leaves its object open. */
  private JsonWriter open(JsonWriter out) {
    out.raw("{\"token\":").string(text).raw(",\"logprob\":").number(logProb);
    out.raw(",\"bytes\":[");
    String before = "";
    for (byte each : bytes()) {
      out.raw(before).number(Byte.toUnsignedLong(each));
      before = ",";
    }
    return out.raw(']');
  }

  /** Returns the bytes of its text in UTF-8. */
  public byte[] bytes() {
    if (!text.startsWith(PART)) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    var bytes = new ByteArrayOutputStream();
    for (String digits : text.substring(PART.length()).split("\\\\x", -1)) {
      bytes.write(Integer.parseInt(digits, 16));
    }
    return bytes.toByteArray();
  }

  /** Returns how many characters begin in it. */
  public long characters() {
    long characters = 0;
    for (byte each : bytes()) {
      // Bytes within a character begin with the bits 10.
      characters += (each & 0xC0) == 0x80 ? 0 : 1;
    }
    return characters;
  }
}
