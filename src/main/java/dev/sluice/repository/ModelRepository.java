package dev.sluice.repository;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.config.model.ListedModel;
import dev.sluice.config.server.DesiredModels;
import dev.sluice.config.server.RepositoryConfig;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.control.LoadFailure;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.repository.scan.ModelFolderDetector;
import dev.sluice.repository.scan.ScanResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The models there are and the versions that take requests.
 *
 * <p>Threads: looking up never blocks and takes no lock. {@link #scan} blocks and belongs on a
 * worker. Loading and closing run on the executor given. Every change is made under one lock, ends
 * with a new immutable view, and is followed by its slow part outside the lock.
 */
public final class ModelRepository {
  private final RepositoryConfig config;
  private final Loader loader;
  private final Workers workers;
  private final RepositoryListener listener;
  private final Promise<Void> closed = Promise.promise();
  private volatile RepositorySnapshot view = RepositorySnapshot.NOT_POLLED_YET;

  /** Its own lock, held during a whole scan; taken before {@link #lock}, never after it. */
  private final RepositoryPoller folders;

  private final AvailableModels available;
  private final ModelFolderDetector mounted = new ModelFolderDetector();
  private final AtomicLong loads = new AtomicLong();

  /** Desired state: the models that should be served. */
  @GuardedBy("folders")
  private DesiredModels wanted;

  /** Written under {@link #lock}. */
  private volatile boolean polled;

  private volatile boolean closing;

  private final Object lock = new Object();

  // Guarded by the lock, which change() holds for the lambdas that it is called with.
  private final Map<String, TrackedModel> models = new TreeMap<>();
  private final RepositoryWaiters waiters = new RepositoryWaiters();
  private Set<String> warned = Set.of();

  /** Loads under way and models not yet closed. Guarded by the lock. */
  private int open;

  /**
   * Does nothing yet; {@link #scan} begins.
   *
   * @param workers run loads and closes, both of which block
   * @param clock what files' times are compared with
   */
  public ModelRepository(
      RepositoryConfig config,
      ModelSettings settings,
      Loader loader,
      Workers workers,
      InstantSource clock,
      RepositoryListener listener) {
    this.config = config;
    this.wanted = config.wanted();
    this.available = new AvailableModels(config.wanted(), mounted, settings);
    this.folders = new RepositoryPoller(config, settings, clock);
    this.loader = loader;
    this.workers = workers;
    this.listener = listener;
  }

  /**
   * Finds a model and acquires a lease on it. Never blocks; any thread.
   *
   * <p>A version withdrawn concurrently cannot be leased; but then a newer view is already
   * published, so looking again ends.
   *
   * @throws IllegalStateException if it was released more often than it was acquired: looking again
   *     would never end, on an event loop
   */
  @SuppressWarnings("ReferenceEquality") // Whether it is the same view, not one like it.
  public ModelLookup find(ModelSelector selector) {
    while (true) {
      RepositorySnapshot seen = view;
      ModelLookup lookup = seen.find(selector);
      if (!(lookup instanceof ModelLookup.Found(LiveVersion live)) || live.acquire()) {
        return lookup;
      }
      if (view == seen) {
        throw new IllegalStateException(live.id() + " takes requests, but cannot be leased");
      }
    }
  }

  /** Returns the names of all models that were found, sorted, whatever their state. */
  public List<String> models() {
    return view.names();
  }

  /**
   * Returns the versions of one model, ascending; empty if there is no such model.
   *
   * @throws InferenceException with UNAVAILABLE if there may be one, as the folders were not looked
   *     at yet
   */
  public Optional<List<VersionStatus>> versions(String model) {
    RepositorySnapshot now = view;
    ModelView known = now.model(model);
    if (known == null && !now.complete()) {
      throw InferenceException.starting(
          "Model with name " + model + " is not ready: " + RepositorySnapshot.NOT_POLLED);
    }
    return Optional.ofNullable(known).map(ModelView::statuses);
  }

  /**
   * Returns the labels of one model and the versions they mean now; none if there is no such model.
   */
  public Map<String, Long> labels(String model) {
    ModelView known = view.model(model);
    return known == null ? Map.of() : known.labels().numbers();
  }

  /**
   * Returns whether the folders were looked at and every version that should be served is, or was
   * once and its model still has one that takes requests: neither a new version that loads nor one
   * that fails takes the server out of service, and no model that is found in its folder after the
   * server was ready. A model that was named but has no version yet makes this false.
   */
  public boolean allReady() {
    return view.ready();
  }

  /** Returns whether a model is among those for which not {@link #allReady}. */
  public boolean isUnready(String model) {
    return view.unready().contains(model);
  }

  /**
   * Looks at the folders and begins whatever follows from it; returns before loads are done.
   * Blocks. Scans wait for each other.
   */
  public void scan() {
    synchronized (folders) {
      if (config.control().explicit() && !polled) {
        wanted = available.first(config.control().load());
      }
      DesiredModels seen = mounted.poll(wanted);
      RepositoryPoller.Poll poll = folders.poll(seen, Set.of());
      boolean known = !seen.listed().isEmpty();
      Set<String> named = seen.listed().keySet();
      change(_ -> apply(poll, known, named));
    }
  }

  /** Returns all that is open and takes or has taken requests. */
  public List<LoadedModel> loaded() {
    synchronized (lock) {
      return models.values().stream()
          .flatMap(model -> model.versions().stream())
          .flatMap(version -> Optional.ofNullable(version.live()).stream())
          .map(LiveVersion::loaded)
          .toList();
    }
  }

  /** Returns whether the folders were polled, and the repository is not closing. */
  public boolean polled() {
    return view.polled();
  }

  /** Returns whether no version waits to be loaded or loads. */
  public boolean isReconciled() {
    return view.isReconciled();
  }

  /**
   * Completes once the actual state is the desired one: no version waits to be loaded or loads. On
   * the thread that has ended the last load. Never blocks; any thread.
   */
  public Future<Void> reconciled() {
    synchronized (lock) {
      if (view.isReconciled()) {
        return Future.succeededFuture();
      }
      return waiters.untilReconciled();
    }
  }

  /**
   * Replaces what should be served, as one step: what is new loads, what is left out unloads after
   * its last request, and everything else stays as it is. Never blocks; any thread.
   *
   * <p>Completes once each model that is new, or has another folder, has a version that takes
   * requests or none left that might, with what failed; a worker completes it.
   *
   * @param change makes the next set from the one before, on a worker, while no other change is
   *     made; what it throws fails the future, and nothing changes
   */
  public Future<List<LoadFailure>> serve(UnaryOperator<DesiredModels> change) {
    return onWorker(outcome -> serve(change, Set.of(), outcome));
  }

  /**
   * Serves one model as it lies there now, and what it is composed of. Never blocks; any thread.
   *
   * <p>Completes once each of its versions that should be served is, or has failed to be, with what
   * failed; what took requests before goes on doing so in place of what failed.
   *
   * @param choice what to serve under this name, given what lies there under it; called on a
   *     worker, and what it throws fails the future, and nothing changes
   * @param admit asked likewise about each model that would be loaded besides, since this one is
   *     composed of it
   */
  public Future<List<LoadFailure>> load(
      String name, Function<Optional<ListedModel>, ListedModel> choice, Consumer<String> admit) {
    return onWorker(outcome ->
        serve(
            before -> available.with(before, name, choice.apply(available.find(name)), admit),
            Set.of(name),
            outcome));
  }

  /**
   * Unloads a model after its last request. Idempotent: a model that is not served stays so.
   * Completes when unloading has begun.
   *
   * @param dependents whether the models go too that it is composed of, unless another one is, or
   *     they were loaded by name
   */
  public Future<List<LoadFailure>> unload(String name, boolean dependents) {
    return serve(before -> available.without(before, name, dependents));
  }

  /** Returns the names of the models there are, served or not, sorted; a worker completes it. */
  public Future<Set<String>> known() {
    return onWorker(outcome -> {
      Set<String> names = available.names();
      names.addAll(models());
      outcome.complete(names);
    });
  }

  private <T> Future<T> onWorker(Consumer<Promise<T>> task) {
    Promise<T> outcome = Promise.promise();
    try {
      workers.execute(() -> task.accept(outcome));
    } catch (RejectedExecutionException e) {
      outcome.fail(e);
    }
    return outcome.future();
  }

  /**
   * @param again names of models that are looked at anew, and of which every version is waited for
   */
  private void serve(
      UnaryOperator<DesiredModels> change, Set<String> again, Promise<List<LoadFailure>> outcome) {
    synchronized (folders) {
      DesiredModels next;
      try {
        next = change.apply(wanted);
      } catch (RuntimeException e) {
        outcome.fail(e);
        return;
      }
      Set<String> fresh = next.newSince(wanted);
      fresh.addAll(again);
      wanted = next;
      DesiredModels seen = mounted.poll(next);
      RepositoryPoller.Poll poll = folders.poll(seen, fresh);
      change(_ -> {
        apply(poll, true, seen.listed().keySet());
        again.stream().map(models::get).filter(Objects::nonNull).forEach(TrackedModel::reconsider);
        waiters.add(new LoadWaiter(again.isEmpty() ? fresh : again, !again.isEmpty(), outcome));
      });
    }
  }

  /**
   * @param known whether it was said which models there are, whatever can be seen of them
   * @param named the models that were asked for by name
   */
  private void apply(RepositoryPoller.Poll poll, boolean known, Set<String> named) {
    if (closing) {
      return;
    }
    ScanResult seen = poll.seen();
    polled |= seen.complete() || known;
    seen.unreadable().forEach(this::model);
    seen.models()
        .forEach((name, scanned) ->
            model(name).poll(scanned, version -> poll.trusted().test(name, version)));
    poll.settings().forEach((name, reading) -> settle(model(name), reading));
    models.values().forEach(m -> m.ask(named.contains(m.name())));
    models.values().stream().filter(m -> seen.misses(m.name())).forEach(TrackedModel::leave);
    warn(poll.warnings());
  }

  private TrackedModel model(String name) {
    return models.computeIfAbsent(
        name, _ -> new TrackedModel(name, config, listener, view.ready()));
  }

  private static void settle(TrackedModel model, SettingsPoller.Reading reading) {
    switch (reading) {
      case SettingsPoller.Reading.Good(var good) -> model.use(good);
      case SettingsPoller.Reading.Broken(var why) -> model.refuse(why);
    }
  }

  private void warn(Set<String> warnings) {
    models.forEach((name, model) -> model.missing().forEach(v -> warnings.add(notThere(name, v))));
    models.forEach((name, model) ->
        model.missingLabels().forEach((label, v) -> warnings.add(notThere(name, label, v))));
    models.values().forEach(model -> model.nothingThere().ifPresent(warnings::add));
    warnings.stream().filter(text -> !warned.contains(text)).sorted().forEach(listener::warning);
    warned = warnings;
  }

  private static String notThere(String model, long version) {
    return "Model %s: version %d is asked for by its settings but is not there"
        .formatted(model, version);
  }

  private static String notThere(String model, String label, long version) {
    return "Model %s: version %d is named by its label '%s' but is not there"
        .formatted(model, version, label);
  }

  /**
   * Withdraws every version and loads no more. Completes when the last lease is released and
   * everything is closed, on the thread that closed it. Loads under way are waited for.
   */
  public Future<Void> close() {
    change(steps -> {
      closing = true;
      models.values().forEach(model -> steps.addAll(model.withdrawAll()));
    });
    return closed.future();
  }

  /** Makes one change, plans what follows from it, publishes, and then does it. */
  private void change(Consumer<List<RepositoryAction>> change) {
    List<RepositoryAction> steps = new ArrayList<>();
    List<Runnable> outcomes;
    boolean over;
    synchronized (lock) {
      change.accept(steps);
      if (!closing) {
        var members = new EnsembleMembers(models);
        members.inOrder().forEach(model -> steps.addAll(model.plan(members)));
      }
      models.values().removeIf(TrackedModel::forgotten);
      open += count(steps, RepositoryAction.Load.class);
      view = RepositorySnapshot.of(models.values(), polled, closing);
      over = closing && open == 0;
      outcomes = waiters.leave(models, closing, view.isReconciled());
    }
    steps.forEach(this::perform);
    outcomes.forEach(Runnable::run);
    if (over) {
      closed.tryComplete();
    }
  }

  private static int count(
      Collection<RepositoryAction> steps, Class<? extends RepositoryAction> kind) {
    return Math.toIntExact(steps.stream().filter(kind::isInstance).count());
  }

  private void perform(RepositoryAction step) {
    switch (step) {
      case RepositoryAction.Load load -> start(load);
      case RepositoryAction.Retry(var id) ->
          workers.executeAfter(config.loading().retryInterval(), () -> retry(id));
      case RepositoryAction.Announce(var id) -> listener.available(id);
      case RepositoryAction.Retire(var live) -> live.release();
    }
  }

  private void start(RepositoryAction.Load load) {
    try {
      workers.execute(() -> load(load));
    } catch (RejectedExecutionException e) {
      failed(load.id(), e);
    }
  }

  /**
   * Loads a version; whatever a loader throws, errors of native libraries included, must not leave
   * it LOADING.
   */
  private void load(RepositoryAction.Load load) {
    LoadedModel model;
    try {
      model = loader.load(load.id(), load.folder(), load.config());
    } catch (Throwable e) {
      failed(load.id(), e);
      return;
    }
    loaded(new LiveVersion(load.id(), loads.incrementAndGet(), model, this::returned));
  }

  private void loaded(LiveVersion fresh) {
    change(steps -> {
      LiveVersion former = model(fresh.id().name()).loaded(fresh);
      if (former != fresh) {
        steps.add(new RepositoryAction.Announce(fresh.id()));
      }
      if (former != null) {
        steps.add(new RepositoryAction.Retire(former));
      }
    });
  }

  private void failed(ModelId id, Throwable cause) {
    change(steps -> {
      open--;
      model(id.name()).failed(id, LoadFailureTexts.of(cause), steps);
    });
  }

  private void retry(ModelId id) {
    change(_ -> {
      TrackedModel model = models.get(id.name());
      if (model != null) {
        model.retry(id);
      }
    });
  }

  /**
   * Records that the last lease was released, perhaps on an event loop: closing may block, so a
   * worker does it.
   */
  private void returned(LiveVersion live) {
    try {
      workers.execute(() -> close(live));
    } catch (RejectedExecutionException _) {
      // the workers have stopped, so the server has: closing here delays no request
      close(live);
    }
  }

  private void close(LiveVersion live) {
    try {
      live.loaded().close();
    } catch (RuntimeException | Error e) {
      // Its session counts as closed all the same: shutdown waits for the last one.
      change(_ -> listener.warning("Model %s: closing it failed: %s".formatted(live.id(), e)));
    }
    change(_ -> {
      open--;
      // a version that never served may be forgotten by now, and its model with it
      TrackedModel model = models.get(live.id().name());
      if (model != null) {
        model.drained(live);
      }
    });
  }
}
