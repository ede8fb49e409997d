package dev.sluice.transport.http;

import dev.sluice.inference.access.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Maps the paths below a claimed prefix to operations. The same grammar decides here and where the
 * caller's right is required, so that no path is taken for another operation by one of them.
 * Immutable; any thread.
 */
public interface PathOperations {
  /** Returns every kind of request below the prefix. */
  List<HttpRoute> routes();

  /**
   * Returns what a path asks for.
   *
   * @param path as it was sent
   * @return null if nothing is there
   */
  @Nullable Operation of(String path);

  /**
   * Returns what a path is an example of, for spans: of few different ones, whatever is asked.
   *
   * @param path as it was sent
   * @return with {@code {model}}, {@code {version}} and so on in the places of names; null if
   *     nothing is there
   */
  @Nullable String template(String path);
}
