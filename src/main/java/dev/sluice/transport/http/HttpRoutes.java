package dev.sluice.transport.http;

import dev.sluice.inference.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who answers which paths: each face claims a prefix and reads the rest of the path itself, because
 * only it knows its protocol's grammar. The letters' case does not matter in a prefix.
 */
public final class HttpRoutes {
  private record Claim(String prefix, boolean exact, Consumer<HttpExchange> handler) {
    boolean covers(String path) {
      if (!path.regionMatches(true, 0, prefix, 0, prefix.length())) {
        return false;
      }
      return path.length() == prefix.length() || (!exact && path.charAt(prefix.length()) == '/');
    }
  }

  private final List<Claim> claims = new ArrayList<>();
  private final KnownPaths<Optional<Claim>> claimed = new KnownPaths<>(this::longest);
  private Function<String, @Nullable Consumer<HttpExchange>> unclaimed = _ -> null;

  /**
   * Claims a path and all paths below it. The handler requires the operation that a path stands for
   * before it reads a body; until then an exchange gives nothing away.
   *
   * @param prefix such as {@code /v2}, without a slash at the end
   * @throws IllegalStateException if it is claimed already
   */
  public void claim(String prefix, Consumer<HttpExchange> handler) {
    add(new Claim(prefix, false, handler));
  }

  /**
   * Claims just one path, which stands for one operation.
   *
   * @param handler answers those who may do it
   */
  public void claimExactly(String path, Operation operation, Consumer<HttpExchange> handler) {
    Consumer<HttpExchange> guarded =
        exchange -> {
          exchange.require(operation);
          handler.accept(exchange);
        };
    add(new Claim(path, true, guarded));
  }

  private void add(Claim claim) {
    for (Claim other : claims) {
      if (other.prefix.equalsIgnoreCase(claim.prefix)) {
        throw new IllegalStateException("two protocols claim the path " + claim.prefix);
      }
    }
    claims.add(claim);
  }

  /**
   * Answers paths that nobody claims and that come and go.
   *
   * @param handlers the handler of a path, or null
   */
  public void otherwise(Function<String, @Nullable Consumer<HttpExchange>> handlers) {
    unclaimed = handlers;
  }

  /** The handler of a path, or null if nobody claims it. Of two claims the longer one counts. */
  @Nullable Consumer<HttpExchange> find(String path) {
    Optional<Claim> claim = claimed.read(path);
    return claim.isPresent() ? claim.get().handler : unclaimed.apply(path);
  }

  private Optional<Claim> longest(String path) {
    return claims.stream()
        .filter(claim -> claim.covers(path))
        .max(Comparator.comparingInt(claim -> claim.prefix.length()));
  }
}
