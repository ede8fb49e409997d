package dev.sluice.transport.http;

import dev.sluice.inference.access.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Routes of HTTP paths: each protocol handler claims a prefix and parses the rest of the path
 * itself, because only it knows its protocol's grammar. The letters' case does not matter in a
 * prefix.
 */
public final class HttpRoutes {
  private record Claim(
      String prefix, boolean exact, PathOperations operations, Consumer<HttpExchange> handler) {
    boolean covers(String path) {
      if (!path.regionMatches(true, 0, prefix, 0, prefix.length())) {
        return false;
      }
      return path.length() == prefix.length() || (!exact && path.charAt(prefix.length()) == '/');
    }
  }

  /**
   * What a path is by the claims.
   *
   * @param operation what it asks for; null if the protocol has nothing there
   */
  private record Claimed(Claim claim, @Nullable Operation operation) {}

  /** One path, which stands for one operation. */
  private record OnePath(String path, Operation operation) implements PathOperations {
    @Override
    public List<HttpRoute> routes() {
      return List.of(new HttpRoute("", path, operation));
    }

    @Override
    public Operation of(String asked) {
      return operation;
    }

    @Override
    public String template(String asked) {
      return path;
    }
  }

  private final List<Claim> claims = new ArrayList<>();
  private final PathCache<Optional<Claimed>> claimed = new PathCache<>(this::longest);
  private Function<String, @Nullable Consumer<HttpExchange>> unclaimed = _ -> null;

  /**
   * Claims a path and all paths below it. The handler requires the operation that a path stands for
   * before it reads a body; until then an exchange gives nothing away.
   *
   * @param prefix such as {@code /v2}, without a slash at the end
   * @param operations what the paths stand for
   * @throws IllegalStateException if it is claimed already
   */
  public void claim(String prefix, PathOperations operations, Consumer<HttpExchange> handler) {
    add(new Claim(prefix, false, operations, handler));
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
    claimUnguarded(path, operation, guarded);
  }

  /**
   * Claims just one path, whose handler requires the operation itself, but for answers that are the
   * same for every caller.
   */
  public void claimUnguarded(String path, Operation operation, Consumer<HttpExchange> handler) {
    add(new Claim(path, true, new OnePath(path, operation), handler));
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
   * Answers paths that come and go, where no protocol has anything, though it may have claimed what
   * is above. They are models', and ask for inference.
   *
   * @param handlers the handler of a path, or null
   */
  public void otherwise(Function<String, @Nullable Consumer<HttpExchange>> handlers) {
    unclaimed = handlers;
  }

  /**
   * Returns the handler of a path, or null if there is none. Of two claims the longer one counts.
   */
  @Nullable Consumer<HttpExchange> find(String path) {
    Optional<Claimed> found = claimed.read(path);
    if (found.isEmpty()) {
      return unclaimed.apply(path);
    }
    Consumer<HttpExchange> handler = found.get().claim.handler;
    if (found.get().operation != null) {
      return handler;
    }
    Consumer<HttpExchange> other = unclaimed.apply(path);
    return other == null ? handler : other;
  }

  /**
   * Returns what a path asks for.
   *
   * @return null if nothing is there, or only what models bring
   */
  @Nullable Operation operation(String path) {
    return claimed.read(path).map(Claimed::operation).orElse(null);
  }

  /**
   * Returns what a path is an example of: a protocol's, or a path that a model has brought.
   *
   * @return null if nothing is there
   */
  @Nullable String template(String path) {
    Optional<Claimed> found = claimed.read(path);
    String template = found.isEmpty() ? null : found.get().claim.operations.template(path);
    return template == null && unclaimed.apply(path) != null ? path : template;
  }

  /** Returns whether a protocol has something at a path. Any thread. */
  public boolean has(String path) {
    return operation(path) != null;
  }

  /** Returns every kind of request that is claimed, for tests that hold the list. */
  public List<HttpRoute> all() {
    return claims.stream().flatMap(claim -> claim.operations.routes().stream()).distinct().toList();
  }

  private Optional<Claimed> longest(String path) {
    return claims.stream()
        .filter(claim -> claim.covers(path))
        .max(Comparator.comparingInt(claim -> claim.prefix.length()))
        .map(claim -> new Claimed(claim, claim.operations.of(path)));
  }
}
