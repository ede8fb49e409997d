package dev.sluice.testing;

import dev.sluice.tensor.TensorMemory;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Check that a test class leaves no tensor open. It fails with the place of each allocation, in the
 * checked mode in which tests run. Registered for every class.
 */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Namespace NAMESPACE = Namespace.create(LeakCheck.class);

  /** Servers free what they hold after the test has its answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Override
  public void beforeAll(ExtensionContext context) {
    Set<Throwable> before = Collections.newSetFromMap(new IdentityHashMap<>());
    before.addAll(TensorMemory.openPlaces());
    context.getStore(NAMESPACE).put("before", before);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Set<?> before = Objects.requireNonNull(context.getStore(NAMESPACE).get("before", Set.class));
    requireClosed(before, PATIENCE);
  }

  /** Requires that all tensors are closed that are opened after some others, within a time. */
  static void requireClosed(Set<?> before, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (!leaked(before).isEmpty() && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
    List<Throwable> leaked = leaked(before);
    if (!leaked.isEmpty()) {
      var failure = new AssertionError(leaked.size() + " tensors were not closed");
      leaked.forEach(failure::addSuppressed);
      throw failure;
    }
  }

  private static List<Throwable> leaked(Set<?> before) {
    return TensorMemory.openPlaces().stream().filter(place -> !before.contains(place)).toList();
  }
}
