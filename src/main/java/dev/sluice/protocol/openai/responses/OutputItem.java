package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;

/** An item of a response's output, which comes piece by piece. One thread at a time. */
sealed interface OutputItem permits OutputMessage, OutputCall {
  /** Returns its place among the items, from 0. */
  int index();

  /** Returns its name. */
  String id();

  /** Writes it; without what it says while it is in progress. */
  void write(JsonWriter out);

  /** Returns how far it is. */
  Status status();

  /** Ends it: nothing comes to it any more. */
  void end(Status how);
}
