package dev.sluice.repository;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.control.VersionStatus;
import dev.sluice.inference.control.VersionStatus.Failure;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of one version, and how events change it. Touched only under the repository's lock.
 *
 * <p>A version that takes requests stays AVAILABLE while it is loaded anew from changed files; a
 * version that is given up while it loads is over at once, and what the load brings is thrown away
 * unless the version is desired again before.
 */
final class TrackedVersion {
  private final long number;
  private VersionState state = VersionState.START;
  private @Nullable LiveVersion live;
  private @Nullable Failure error;
  private @Nullable LoadAttempt attempt;
  private boolean loading;
  private boolean served;

  /** True if the files were the same after the load as before it. */
  private boolean confirmed;

  private int loads;

  /** Loads of the same that have failed one after the other, and whether the next is due. */
  private int failures;

  private boolean retryDue;

  TrackedVersion(long number) {
    this.number = number;
  }

  VersionState state() {
    return state;
  }

  boolean is(VersionState wanted) {
    return state == wanted;
  }

  /** Returns whether a load is in flight, even one that was abandoned. */
  boolean loading() {
    return loading;
  }

  /** Returns whether it may take requests soon. */
  boolean isOnTheWay() {
    return state == VersionState.START || state == VersionState.LOADING;
  }

  /** Returns the load that takes requests now, so that ensembles notice when it changes. */
  EnsembleMember asMember(ModelId id) {
    return new EnsembleMember(id, loads);
  }

  /** Returns whether it has ever taken requests. */
  boolean served() {
    return served;
  }

  boolean failed() {
    return error != null;
  }

  /** Returns the live version, while AVAILABLE. */
  @Nullable LiveVersion live() {
    return live;
  }

  VersionStatus status() {
    return new VersionStatus(number, state, Optional.ofNullable(error));
  }

  /** Returns whether a desired version has to be loaded from this. */
  boolean needs(LoadAttempt wanted) {
    return !loading
        && switch (state) {
          case START, UNLOADING -> true;
          case LOADING -> retryDue || !wanted.equals(attempt);
          case AVAILABLE -> retryDue || !wanted.equals(attempt);
          case END -> retryDue || error == null || !wanted.equals(attempt);
        };
  }

  /**
   * Returns whether it is to go on with what it was loaded from, though its files have changed
   * since: a copy that replaces them may stop half-way, and what serves is good. Files that changed
   * while they were loaded are loaded again.
   */
  boolean keeps(LoadAttempt wanted) {
    if (state != VersionState.AVAILABLE || attempt == null) {
      return false;
    }
    confirmed |= !loading && wanted.equals(attempt);
    return confirmed && !wanted.equals(attempt) && wanted.differsOnlyInFiles(attempt);
  }

  /**
   * Records that a load begins. What takes requests goes on doing so until the load has succeeded.
   */
  void startLoading(LoadAttempt next) {
    failures = next.equals(attempt) ? failures : 0;
    attempt = next;
    confirmed = false;
    loading = true;
    retryDue = false;
    if (state != VersionState.AVAILABLE) {
      moveTo(VersionState.LOADING);
      live = null;
      error = failures > 0 ? error : null;
    }
  }

  /**
   * Resumes: the version is desired again, and if a load is still in flight, its outcome counts
   * again.
   */
  void resume() {
    if (loading && (state == VersionState.UNLOADING || state == VersionState.END)) {
      move(VersionState.LOADING);
      live = null;
    }
  }

  /**
   * Records that the load has succeeded. Returns what is not needed any more: the former one, or
   * this.
   */
  @Nullable LiveVersion loaded(LiveVersion fresh) {
    loading = false;
    return switch (state) {
      case LOADING -> {
        move(VersionState.AVAILABLE);
        yield serve(fresh);
      }
      case AVAILABLE -> serve(fresh);
      case START, UNLOADING, END -> fresh;
    };
  }

  private @Nullable LiveVersion serve(LiveVersion fresh) {
    LiveVersion former = live;
    live = fresh;
    error = null;
    failures = 0;
    served = true;
    loads++;
    return former;
  }

  /** Returns whether nothing more comes of what was begun last. */
  boolean decided() {
    return !loading && (state == VersionState.AVAILABLE || (state == VersionState.END && failed()));
  }

  /** Returns how many loads of the same files have failed in succession. */
  int failures() {
    return failures;
  }

  /** Records that the load has failed and will be retried. Returns whether it is still desired. */
  boolean failedForNow(Failure why) {
    loading = false;
    boolean hoped = state == VersionState.LOADING || state == VersionState.AVAILABLE;
    if (hoped) {
      failures++;
      error = why;
    }
    return hoped;
  }

  /** Called when the time has come to try again, if it still makes sense. */
  void retry() {
    retryDue = !loading && error != null;
  }

  /** Records that the load has failed. Returns whether it was still desired. */
  boolean failed(Failure why) {
    loading = false;
    failures = 0;
    return switch (state) {
      case LOADING -> {
        move(VersionState.END);
        error = why;
        yield true;
      }
      case AVAILABLE -> {
        error = why;
        yield true;
      }
      case START, UNLOADING, END -> false;
    };
  }

  /** Records that its members are on the way again: what was said of it before does not hold. */
  void awaitMembers() {
    if (state == VersionState.END && !loading) {
      move(VersionState.START);
      error = null;
      retryDue = false;
    }
  }

  /** It cannot even be tried. Returns whether that is new. */
  boolean refuse(Failure why) {
    if (loading || why.equals(error)) {
      return false;
    }
    return switch (state) {
      case START -> {
        move(VersionState.END);
        yield refused(why);
      }
      case END -> refused(why);
      case LOADING, AVAILABLE, UNLOADING -> false;
    };
  }

  private boolean refused(Failure why) {
    attempt = null;
    error = why;
    return true;
  }

  /** It should take no more requests. Returns what to give back, if it took any. */
  @Nullable LiveVersion withdraw() {
    return switch (state) {
      case AVAILABLE -> {
        move(VersionState.UNLOADING);
        error = null;
        yield live;
      }
      case START, LOADING -> {
        move(VersionState.END);
        error = null;
        yield null;
      }
      case UNLOADING, END -> null;
    };
  }

  /** Something that took requests is closed. Returns whether that was the end of the version. */
  boolean drained(LiveVersion closed) {
    if (state != VersionState.UNLOADING || live != closed) {
      return false;
    }
    move(VersionState.END);
    live = null;
    return true;
  }

  private void moveTo(VersionState next) {
    if (state != next) {
      move(next);
    }
  }

  private void move(VersionState next) {
    if (!VersionTransitions.after(state).contains(next)) {
      throw new IllegalStateException(
          "version " + number + " cannot go from " + state + " to " + next);
    }
    state = next;
  }
}
