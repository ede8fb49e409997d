package dev.sluice.transport.http;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Cache of parsed paths: clients send the same few again and again, and parsing one takes longer
 * than finding it here. Bounded in number and length, whatever is asked.
 *
 * <p>May be asked by any number of threads: an entry is immutable, and one that is lost is read
 * again.
 *
 * @param <T> what a path means; immutable
 */
public final class PathCache<T> {
  /** A power of two: more than a server usually has models. */
  private static final int MOST = 256;

  /** Characters; longer paths are read each time. */
  private static final int MOST_LENGTH = 256;

  private record Known<T>(String path, T meaning) {}

  private final Function<String, T> grammar;

  /** By the low bits of the paths' hashes. */
  private final @Nullable Known<T>[] known;

  /**
   * @param grammar reads a path; what it throws is not remembered
   */
  @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
  public PathCache(Function<String, T> grammar) {
    this.grammar = grammar;
    this.known = new Known[MOST];
  }

  /** Returns the meaning of a path. */
  public T read(String path) {
    int slot = path.hashCode() & (MOST - 1);
    Known<T> found = known[slot];
    if (found != null && found.path.equals(path)) {
      return found.meaning;
    }
    T meaning = grammar.apply(path);
    if (path.length() <= MOST_LENGTH) {
      known[slot] = new Known<>(path, meaning);
    }
    return meaning;
  }
}
