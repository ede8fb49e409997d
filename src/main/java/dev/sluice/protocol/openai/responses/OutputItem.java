package dev.sluice.protocol.openai.responses;

import dev.sluice.protocol.codec.JsonWriter;

/** An item of a response's output, which comes piece by piece. One thread at a time. */
abstract sealed class OutputItem permits OutputMessage, OutputCall {
  private final int index;
  private final String id;
  private Status status = Status.IN_PROGRESS;

  /**
   * @param index its place among the items, from 0
   * @param id its name
   */
  OutputItem(int index, String id) {
    this.index = index;
    this.id = id;
  }

  /** Returns its place among the items, from 0. */
  final int index() {
    return index;
  }

  /** Returns its name. */
  final String id() {
    return id;
  }

  /** Returns how far it is. */
  final Status status() {
    return status;
  }

  /** Ends it: nothing comes to it any more. */
  final void end(Status how) {
    status = how;
  }

  /** Writes it; without what it says while it is in progress. */
  abstract void write(JsonWriter out);
}
