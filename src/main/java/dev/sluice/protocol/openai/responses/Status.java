package dev.sluice.protocol.openai.responses;

/** How far a response or an item of it is, in the protocol's words. */
enum Status {
  IN_PROGRESS("in_progress"),
  COMPLETED("completed"),
  INCOMPLETE("incomplete"),
  FAILED("failed");

  private final String word;

  Status(String word) {
    this.word = word;
  }

  String word() {
    return word;
  }
}
