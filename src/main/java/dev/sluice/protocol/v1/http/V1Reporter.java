package dev.sluice.protocol.v1.http;

import dev.sluice.protocol.codec.JsonWriter;

/** One protocol's part of the reports on models below {@code /v1}. Stateless; any thread. */
public interface V1Reporter {
  /** Returns whether the protocol has such a request. */
  boolean speaks(V1Request request);

  /** Writes its members of a report, separated by commas, without the braces around them. */
  void write(V1Report report, JsonWriter out);
}
