package dev.sluice.extension;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request over HTTP, as it came.
 *
 * @param method such as {@code POST}
 * @param path still percent-encoded
 * @param query without the question mark, still percent-encoded; empty if there is none
 * @param headers names in lower case
 * @param body its content coding undone; not copied
 * @param streaming whether the caller asks for a stream in the way that the grps settings say
 */
@SuppressWarnings("ArrayRecordComponent") // Requests are not compared, and bodies are large.
public record HttpRequest(
    String method,
    String path,
    String query,
    Map<String, List<String>> headers,
    byte[] body,
    boolean streaming) {
  /** Returns the first header of a name, in any case. */
  public Optional<String> header(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream().findFirst();
  }
}
