package dev.sluice.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.model.ModelConfig;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.testing.RecordCopy;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests on many threads while versions are swapped under them. */
class ConcurrentReloadTest {
  private static final int THREADS = 3;
  private static final int SWAPS = 30;
  private static final ModelSelector LATEST = new ModelSelector.Latest("digits");

  private final ModelFiles files;
  private final FakeLoader loader = new FakeLoader();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicBoolean enough = new AtomicBoolean();
  private final ModelRepository repository;

  ConcurrentReloadTest(@TempDir Path root) {
    files = new ModelFiles(root);
    repository =
        new ModelRepository(
            RecordCopy.with(
                RepositoryConfig.of(new DesiredModels(root, Map.of()), Duration.ofSeconds(1)),
                "loading.reread",
                true),
            _ -> ModelConfig.DEFAULT,
            loader,
            new ThreadWorkers(threads),
            InstantSource.fixed(ModelFiles.NOW),
            new FakeRepositoryListener());
  }

  @Test
  @Timeout(60)
  void everyLeaseIsValidUntilItsReleaseAndEveryModelIsClosedOnce() throws Exception {
    try (threads) {
      files.versions("digits/1");
      repository.scan();
      awaitVersion(1);
      var started = new CountDownLatch(THREADS);
      List<java.util.concurrent.Future<Long>> lookers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        lookers.add(threads.submit(() -> acquireUntilEnough(started)));
      }
      started.await();
      try {
        swapAgainAndAgain();
      } finally {
        enough.set(true);
      }
      for (var looker : lookers) {
        assertThat(looker.get(30, TimeUnit.SECONDS)).isPositive();
      }
      await(repository.close());
    }
    assertThat(loader.models).hasSize(SWAPS).allMatch(model -> model.closes.get() == 1);
  }

  /** New numbers and new content in turn: both kinds of swap. */
  private void swapAgainAndAgain() {
    for (int swap = 1; swap < SWAPS; swap++) {
      int number = 1 + swap / 2;
      files.write("digits/" + number + "/model.onnx", "content ".repeat(swap));
      repository.scan();
      repository.scan();
      int wanted = swap + 1;
      while (loader.models.size() < wanted) {
        pause();
      }
      awaitVersion(number);
    }
  }

  private void awaitVersion(long number) {
    while (true) {
      if (repository.find(LATEST) instanceof ModelLookup.Found(ModelLease model)) {
        boolean up = model.id().version() == number;
        model.release();
        if (up) {
          return;
        }
      }
      pause();
    }
  }

  /** Spins; ends the test, and the threads with it, when it was interrupted. */
  private static void pause() {
    Thread.onSpinWait();
    if (Thread.interrupted()) {
      throw new AssertionError("took too long");
    }
  }

  private long acquireUntilEnough(CountDownLatch started) {
    long leases = 0;
    started.countDown();
    while (!enough.get()) {
      if (!(repository.find(LATEST) instanceof ModelLookup.Found(LiveVersion live))) {
        throw new AssertionError("the model went away for a moment");
      }
      if (!((FakeLoader.FakeModel) live.loaded()).isOpen()) {
        throw new AssertionError(live.id() + " was closed while it was lent");
      }
      live.release();
      leases++;
    }
    return leases;
  }

  private static void await(Future<Void> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
