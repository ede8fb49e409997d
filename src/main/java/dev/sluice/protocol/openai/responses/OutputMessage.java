package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;

/** What the model says: a message with one text. */
final class OutputMessage extends OutputItem {
  private final CollectedText text = new CollectedText();

  /** Elements of a list. */
  private final CollectedText logProbs = new CollectedText();

  OutputMessage(int index, String id) {
    super(index, "msg_" + id);
  }

  /**
   * Adds what comes to the text.
   *
   * @param tokens log-probabilities as elements of a list; empty if there are none
   */
  void append(String more, String tokens) {
    text.append(more);
    if (!tokens.isEmpty()) {
      logProbs.append(logProbs.isEmpty() ? tokens : "," + tokens);
    }
  }

  @Override
  void write(JsonWriter out) {
    out.raw("{\"id\":")
        .string(id())
        .raw(",\"type\":\"message\",\"status\":")
        .string(status().word());
    out.raw(",\"role\":\"assistant\",\"content\":[");
    if (status() != Status.IN_PROGRESS) {
      writePart(out);
    }
    out.raw("]}");
  }

  /** Writes its only part. */
  void writePart(JsonWriter out) {
    out.raw("{\"type\":\"output_text\",\"annotations\":[],");
    if (status() == Status.IN_PROGRESS) {
      out.raw("\"text\":\"\",\"logprobs\":[]");
    } else {
      writeText(out);
    }
    out.raw('}');
  }

  /** Writes the members of its text, which is over. */
  void writeText(JsonWriter out) {
    text.writeString(out.raw("\"text\":"));
    logProbs.writeRaw(out.raw(",\"logprobs\":["));
    out.raw(']');
  }
}
