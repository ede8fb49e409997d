package dev.sluice.boot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.boot.warmup.CompilerActivity;
import dev.sluice.boot.warmup.RefusedCalls;
import dev.sluice.boot.warmup.SustainedCalls;
import dev.sluice.boot.warmup.WarmUpCalls;
import dev.sluice.boot.warmup.WarmUpCalls.Connector;
import dev.sluice.config.server.ListenerConfig;
import dev.sluice.runtime.NativeLibrary;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.OnnxRuntimeProvider;
import dev.sluice.runtime.tensorflow.TensorflowRuntimeProvider;
import dev.sluice.transport.connection.RateLimitedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the server answer requests of its own before clients send theirs: first one of each protocol,
 * so that no client's waits while the classes of decoders, queues and encoders are loaded; then,
 * until a time is over, again and again, refused ones and broken connections too, so that what
 * clients meet is compiled, and compiled for both.
 *
 * <p>They go to a {@link WarmUpServer}. A server that cannot be warmed up starts all the same.
 *
 * <p>Threads: one of its own; may be asked from any.
 */
final class ProtocolWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(ProtocolWarmUp.class);

  /** Far longer than it takes on a busy machine; a start does not wait longer for it. */
  private static final Duration MOST = Duration.ofSeconds(10);

  private static final long PAUSE = Duration.ofMillis(20).toNanos();

  /** Most of what clients send is well-formed. */
  private static final int ANSWERED_PER_REFUSED = 3;

  /**
   * Rounds of calls between two full collections, of some 30 ms each. What is alive when the young
   * generation is full goes to the old one, in which it would spread until that is full: pages that
   * a server at rest keeps.
   */
  private static final int ANSWERED_PER_COLLECTION = 16;

  private final ServerThreads threads;
  private final List<ListenerConfig> listeners;

  @GuardedBy("this")
  private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

  private volatile boolean stopped;

  /** What is done with the listeners of a server. */
  private interface Work {
    void run(WarmUpServer server) throws IOException;
  }

  /**
   * Nothing is sent yet.
   *
   * @param listeners whose protocols are warmed up
   */
  ProtocolWarmUp(ServerThreads threads, List<ListenerConfig> listeners) {
    this.threads = threads;
    this.listeners = distinct(listeners);
  }

  /** Returns one listener of each kind, as far as it matters here. */
  private static List<ListenerConfig> distinct(List<ListenerConfig> listeners) {
    Map<Object, ListenerConfig> kinds = new LinkedHashMap<>();
    listeners.forEach(
        listener -> kinds.putIfAbsent(List.of(listener.protocols(), listener.v1()), listener));
    return List.copyOf(kinds.values());
  }

  /**
   * Sends the first request of each protocol.
   *
   * @return completes when they are answered, or after a time in any case; never fails
   */
  CompletableFuture<Void> begin() {
    return onThread(() -> List.of(new EchoRuntime()), this::sendFirst)
        .completeOnTimeout(null, MOST.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * Goes on for a time.
   *
   * @return completes when it is over, or earlier if it cannot be done; never fails
   */
  CompletableFuture<Void> goOn(Duration time) {
    long most = time.plus(MOST).toMillis();
    // Also where a request of it never gets its answer: what callers get wrong is logged again.
    return onThread(ProtocolWarmUp::inUse, server -> repeat(server, time))
        .completeOnTimeout(null, most, TimeUnit.MILLISECONDS)
        .whenComplete((_, _) -> RateLimitedLog.mute(false));
  }

  /** Ends it early, and has none begin any more. */
  void stop() {
    CompletableFuture<Void> last;
    synchronized (this) {
      stopped = true;
      last = underWay;
    }
    var _ = last.completeOnTimeout(null, MOST.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  /** Returns those whose models clients will ask, so that their runs are compiled too. */
  private static List<RuntimeProvider> inUse() {
    List<RuntimeProvider> runtimes =
        Stream.<RuntimeProvider>of(new OnnxRuntimeProvider(), new TensorflowRuntimeProvider())
            .filter(runtime -> NativeLibrary.isLoaded(runtime.name()))
            .toList();
    return runtimes.isEmpty() ? List.of(new EchoRuntime()) : runtimes;
  }

  private synchronized CompletableFuture<Void> onThread(
      Supplier<List<RuntimeProvider>> runtimes, Work work) {
    var done = new CompletableFuture<Void>();
    if (stopped) {
      done.complete(null);
      return done;
    }
    underWay = done;
    Thread.ofPlatform()
        .daemon()
        .name("protocol-warm-up")
        .start(() -> {
          try (var server = WarmUpServer.start(threads, runtimes.get())) {
            work.run(server);
          } catch (IOException | RuntimeException e) {
            LOG.info("protocols are not warmed up: {}", String.valueOf(e.getMessage()));
          } finally {
            done.complete(null);
          }
        });
    return done;
  }

  private void sendFirst(WarmUpServer server) throws IOException {
    for (ListenerConfig listener : listeners) {
      server.onSocket(
          listener,
          connector ->
              new WarmUpCalls(listener, server.models())
                  .send(connector)
                  .forEach(failure -> LOG.info("a protocol is not warmed up: {}", failure)));
    }
  }

  private void repeat(WarmUpServer server, Duration time) throws IOException {
    RateLimitedLog.mute(true);
    try {
      for (ListenerConfig listener : listeners) {
        var calls = new WarmUpCalls(listener, server.models());
        var compilers = new CompilerActivity(time.dividedBy(listeners.size()));
        server.onNetwork(listener, connector -> repeat(calls, connector, compilers));
      }
    } finally {
      RateLimitedLog.mute(false);
    }
  }

  private void repeat(WarmUpCalls calls, Connector connector, CompilerActivity compilers)
      throws IOException {
    try (var sustained = SustainedCalls.open(calls, connector)) {
      for (int i = 0; !stopped && !compilers.rest(); i++) {
        sustained.send();
        if (i % ANSWERED_PER_REFUSED == 0) {
          RefusedCalls.send(calls, connector);
        }
        if ((i + 1) % ANSWERED_PER_COLLECTION == 0) {
          System.gc();
        }
        giveWay(compilers);
      }
    }
  }

  /** Waits while compilers need the cores that calls would take. */
  private void giveWay(CompilerActivity compilers) {
    while (!stopped && compilers.areBusy()) {
      LockSupport.parkNanos(PAUSE);
    }
  }
}
