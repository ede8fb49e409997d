package dev.sluice.protocol.codec;

/**
 * A text is not JSON. Never reaches a client as it is: each protocol handler reports it in its
 * protocol's form, with INVALID_ARGUMENT.
 */
public final class JsonException extends RuntimeException {
  private final JsonError error;
  private final int offset;

  JsonException(JsonError error, int offset) {
    super(error.text(), null, false, false);
    this.error = error;
    this.offset = offset;
  }

  /** Returns the kind of syntax error, which dialects word differently. */
  public JsonError error() {
    return error;
  }

  /** Returns the place in the text, in bytes from its beginning. */
  public int offset() {
    return offset;
  }
}
