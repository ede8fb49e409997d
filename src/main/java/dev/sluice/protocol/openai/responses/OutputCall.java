package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;

/** A function that the model calls. */
final class OutputCall extends OutputItem {
  private final String callId;
  private final String name;
  private final CollectedText arguments = new CollectedText();

  /**
   * @param callId by which the client answers the call
   * @param name of the function
   */
  OutputCall(int index, String id, String callId, String name) {
    super(index, "fc_" + id);
    this.callId = callId;
    this.name = name;
  }

  /** Adds a piece of the arguments, which are JSON. */
  void append(String json) {
    arguments.append(json);
  }

  @Override
  void write(JsonWriter out) {
    out.raw("{\"id\":").string(id()).raw(",\"type\":\"function_call\",\"status\":");
    out.string(status().word()).raw(",\"call_id\":").string(callId);
    if (status() == Status.IN_PROGRESS) {
      out.raw(",\"name\":").string(name).raw(",\"arguments\":\"\"");
    } else {
      writeDone(out);
    }
    out.raw('}');
  }

  /** Writes the members of its arguments, which are over, each with a comma in front. */
  void writeDone(JsonWriter out) {
    out.raw(",\"name\":").string(name);
    arguments.writeString(out.raw(",\"arguments\":"));
  }
}
