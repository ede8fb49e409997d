package dev.sluice.conformance;

import dev.sluice.security.Issuer;
import dev.sluice.testing.ChildServer;
import dev.sluice.testing.LoopModel;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StepsCaller;
import dev.sluice.testing.StepsCaller.Outcome;
import dev.sluice.testing.StepsCaller.Protocol;
import dev.sluice.testing.StepsCaller.Request;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server that wants tokens, and fetches their keys from a server that does what a test says: time
 * after time, each tenth of a second.
 */
final class KeyServerFaults implements AutoCloseable {
  private static final String MODEL = "loop";
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger asked = new AtomicInteger();
  private final Issuer first = Issuer.of("first");
  private final Issuer second = Issuer.of("second");
  private final int port = ChildServer.freePort();
  private final int kservePort = ChildServer.freePort();
  private final ChildServer server;
  private volatile KeyServer keyServer = KeyServer.GOOD;
  private volatile String keys = Issuer.jwks(first);

  private enum KeyServer {
    GOOD,
    FAILING,
    HANGING
  }

  /** Starts both of them in a folder, and waits until the keys have come. */
  KeyServerFaults(Path folder) throws IOException {
    HttpServer issuer =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              asked.incrementAndGet();
              switch (keyServer) {
                case GOOD -> request.response().end(keys);
                case FAILING -> request.response().setStatusCode(500).end();
                case HANGING -> request.pause();
              }
            })
            .listen(0, "localhost")
            .await();
    LoopModel.writeRow(folder.resolve("models"), MODEL);
    Path settings = folder.resolve("tokens.yml");
    Files.writeString(settings, settings(folder, issuer.actualPort()));
    server = ChildServer.start("serve", "--config=" + settings);
    server.awaitModel(MODEL + "/1");
    Polling.await("the keys have come", () -> ask(first, Protocol.V2_REST).code().equals("200"));
  }

  private String settings(Path folder, int issuer) {
    return """
    listeners:
      - address: localhost:%d
      - address: localhost:%d
        protocols: [kserve]
    models:
      directory: %s
    security:
      policies:
        - identities: [authenticated]
          roles: [inference]
      jwt:
        jwks_url: http://localhost:%d/keys
        refresh: 100ms
        issuer: %s
        audience: [sluice]
    """
        .formatted(
            port,
            kservePort,
            folder.resolve("models"),
            issuer,
            Issuer.claims(Instant.now()).build().getIssuer());
  }

  /** What callers with a token of a known key get while the other server answers 500. */
  Map<Protocol, Outcome> failing() {
    keyServer = KeyServer.FAILING;
    awaitFetches();
    return all(first);
  }

  /** The same while it does not answer. */
  Map<Protocol, Outcome> hanging() {
    keyServer = KeyServer.HANGING;
    awaitFetches();
    return all(first);
  }

  /** What callers get meanwhile whose token is of a key that has not come yet. */
  Map<Protocol, Outcome> waiting() {
    keyServer = KeyServer.HANGING;
    awaitFetches();
    return all(second);
  }

  /** What callers with a token of the newer key get once the keys have rotated. */
  Map<Protocol, Outcome> rotated() {
    rotate();
    return all(second);
  }

  /** What callers with a token of the former key get then. */
  Map<Protocol, Outcome> rotatedOut() {
    rotate();
    Map<Protocol, Outcome> outcomes = new EnumMap<>(Protocol.class);
    for (Protocol protocol : Protocol.values()) {
      outcomes.put(protocol, afterFetch(protocol));
    }
    return outcomes;
  }

  /** Asks again as long as it might be a key that is on its way. */
  private Outcome afterFetch(Protocol protocol) {
    Outcome outcome = ask(first, protocol);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (outcome.text().contains("are being fetched") && System.nanoTime() < end) {
      outcome = ask(first, protocol);
    }
    return outcome;
  }

  private void rotate() {
    keyServer = KeyServer.GOOD;
    keys = Issuer.jwks(second);
    Polling.await(
        "the newer key has come", () -> ask(second, Protocol.V2_REST).code().equals("200"));
  }

  /** Waits until keys were asked for since, and no answer from before is on its way. */
  private void awaitFetches() {
    int before = asked.get();
    Polling.await("keys are fetched", () -> asked.get() > before);
  }

  private Map<Protocol, Outcome> all(Issuer issuer) {
    Map<Protocol, Outcome> outcomes = new EnumMap<>(Protocol.class);
    for (Protocol protocol : Protocol.values()) {
      outcomes.put(protocol, ask(issuer, protocol));
    }
    return outcomes;
  }

  private Outcome ask(Issuer issuer, Protocol protocol) {
    String token = issuer.token(Instant.now(), _ -> {});
    try (var caller = new StepsCaller(port, kservePort, token)) {
      return caller.ask(protocol, new Request(MODEL, 1, 0));
    } catch (IOException e) {
      return new Outcome("broken", false, e.toString());
    }
  }

  @Override
  public void close() {
    server.close();
    vertx.close().await();
  }
}
