package dev.sluice.scheduling.prefix;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.inference.access.Caller;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Prefixes of the prompts of one version, kept with their KV caches for the prompts that begin with
 * the same tokens. Bounded in bytes; the least recently used one is given up first. Any thread;
 * nothing is copied while it is locked.
 *
 * <p>Owner: owns what it keeps until it is closed, which drops all of it. Nothing is kept later.
 */
public final class PrefixCache implements AutoCloseable {
  /** Fewer common tokens are computed again: that takes no longer than a copy. */
  public static final int LEAST = 16;

  /** Each is compared with every prompt. */
  private static final int MOST = 256;

  private final int least;
  private final long limit;
  private final LongSupplier free;
  private final boolean apart;
  private final Runnable advanced;

  /** With their sizes; the least recently used one first. */
  @GuardedBy("this")
  private final Map<KeptPrefix, Long> kept = new LinkedHashMap<>(16, 0.75f, true);

  /** Bytes that are kept, or are just being copied. */
  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private boolean closed;

  /** Prompts that others may wait for, as many as are compared with every prompt at most. */
  @GuardedBy("this")
  private final List<RunningPrompt> running = new ArrayList<>();

  /**
   * @param least tokens that a prefix has at least
   * @param limit bytes that are kept at most
   * @param free bytes that may be kept at this moment
   * @param apart whether prompts of one identity do not begin with prefixes of another
   * @param advanced called on any thread when prompts that wait for others may run
   */
  public PrefixCache(int least, long limit, LongSupplier free, boolean apart, Runnable advanced) {
    this.least = least;
    this.limit = limit;
    this.free = free;
    this.apart = apart;
    this.advanced = advanced;
  }

  /**
   * Returns what a stream needs to know of it.
   *
   * @param prompt its tokens; not changed any more
   * @param chunk how many of them run at once
   */
  public PromptPrefix of(String signature, Caller caller, long[] prompt, int chunk) {
    return new PromptPrefix(
        this, new PrefixScope(signature, apart ? caller.identity() : ""), prompt, chunk);
  }

  /** Returns whether it keeps anything at all. */
  public boolean isUsed() {
    return limit > 0;
  }

  /** Returns the number of bytes that are kept. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Returns whether {@link #find} may find something now. */
  synchronized boolean mayHave(PrefixScope scope, long[] prompt) {
    return prompt.length > least
        && kept.keySet().stream().anyMatch(each -> each.begins(scope, prompt, least));
  }

  /**
   * Returns the longest kept prefix, the caller's to close; null if there is none. The last token
   * of a prompt is never in it, since its logits are to be computed.
   */
  synchronized @Nullable FoundPrefix find(PrefixScope scope, long[] prompt) {
    KeptPrefix best = null;
    int most = least - 1;
    for (KeptPrefix each : kept.keySet()) {
      int common = Math.min(each.common(scope, prompt), prompt.length - 1);
      if (common > most) {
        most = common;
        best = each;
      }
    }
    if (best == null) {
      return null;
    }
    touch(best);
    return best.lend(most);
  }

  @GuardedBy("this")
  private void touch(KeptPrefix used) {
    kept.get(used);
  }

  /**
   * Returns the running prompt that another one should wait for; null if there is none.
   *
   * @param before what it has waited for; null: nothing
   */
  synchronized PromptPrefix.@Nullable Awaited await(
      PrefixScope scope, long[] prompt, int level, PromptPrefix.@Nullable Awaited before) {
    if (before != null && before.prompt().hasLeft(before.tokens())) {
      return null;
    }
    int known = known(scope, prompt);
    int most = known + least - 1;
    RunningPrompt best = null;
    for (RunningPrompt each : running) {
      int offered = each.offers(scope, prompt, level);
      if (offered > most && each.isWorthWaitingFor(offered, offered - known)) {
        most = offered;
        best = each;
      }
    }
    if (best == null) {
      return null;
    }
    best.await(most);
    return new PromptPrefix.Awaited(best, most);
  }

  @GuardedBy("this")
  private int known(PrefixScope scope, long[] prompt) {
    int known = 0;
    for (KeptPrefix each : kept.keySet()) {
      known = Math.max(known, Math.min(each.common(scope, prompt), prompt.length - 1));
    }
    return known < least ? 0 : known;
  }

  /** Lets others wait for a prompt from now on; null, and none does, if there are too many. */
  synchronized @Nullable RunningPrompt begin(
      PrefixScope scope, long[] prompt, int level, int chunk) {
    if (prompt.length < least || running.size() == MOST) {
      return null;
    }
    var begun = new RunningPrompt(scope, prompt, level, chunk, known(scope, prompt));
    running.add(begun);
    return begun;
  }

  /** Returns whether others wait for so many tokens, which a prompt has computed. */
  synchronized boolean reaches(RunningPrompt prompt, int tokens) {
    return prompt.reaches(tokens);
  }

  /** Records that so many tokens of a prompt are kept now, or cannot be. */
  void leaves(RunningPrompt prompt, int tokens, boolean kept) {
    boolean awaited;
    synchronized (this) {
      awaited = prompt.leaves(tokens, kept);
    }
    if (awaited) {
      advanced.run();
    }
  }

  /** Ends a prompt: no other waits for it any more. */
  void end(RunningPrompt ended) {
    boolean awaited;
    synchronized (this) {
      running.remove(ended);
      awaited = ended.isAwaited();
    }
    if (awaited) {
      advanced.run();
    }
  }

  /**
   * Keeps a copy of what a prompt has left, if there is room for it and nothing better is kept.
   *
   * @param prompt not changed any more
   * @param caches by the inputs that they are fed back to; borrowed
   * @return whether it is kept now
   */
  boolean keep(PrefixScope scope, long[] prompt, List<NamedTensor> caches) {
    long size = KeptPrefix.bytes(prompt, caches);
    if (!takeRoom(scope, prompt, size)) {
      return hasAll(scope, prompt);
    }
    try {
      add(KeptPrefix.copyOf(scope, prompt, caches), size);
      return true;
    } catch (OutOfMemoryError _) {
      // Of native memory. The prompt's own answer needs no copy.
      giveRoom(size);
      return false;
    } catch (RuntimeException | Error e) {
      giveRoom(size);
      throw e;
    }
  }

  private synchronized boolean takeRoom(PrefixScope scope, long[] prompt, long size) {
    boolean fits = size <= Math.min(limit, free.getAsLong()) && prompt.length >= least;
    if (closed || !fits || isKept(scope, prompt)) {
      return false;
    }
    // What it is longer than is found in it, too.
    dropAll(each -> each.common(scope, prompt) == each.length());
    giveUp(MOST - 1, size);
    if (isTooMuch(size)) {
      return false;
    }
    bytes += size;
    return true;
  }

  @GuardedBy("this")
  private boolean isKept(PrefixScope scope, long[] prompt) {
    for (KeptPrefix each : kept.keySet()) {
      if (each.common(scope, prompt) == prompt.length) {
        touch(each);
        return true;
      }
    }
    return false;
  }

  private synchronized boolean hasAll(PrefixScope scope, long[] prompt) {
    return isKept(scope, prompt);
  }

  private synchronized void add(KeptPrefix copied, long size) {
    if (closed) {
      copied.close();
      bytes -= size;
      return;
    }
    kept.put(copied, size);
    // Streams may have taken the memory while it was copied.
    giveUp(MOST, 0);
  }

  private synchronized void giveRoom(long size) {
    bytes -= size;
  }

  @GuardedBy("this")
  private boolean isTooMuch(long more) {
    return bytes + more > Math.min(limit, free.getAsLong()) || !TensorMemory.mayKeep(more);
  }

  /** Gives up what is kept beyond what may be kept by now. */
  public synchronized void giveUp() {
    giveUp(MOST, 0);
  }

  @GuardedBy("this")
  private void giveUp(int most, long more) {
    Iterator<Map.Entry<KeptPrefix, Long>> eldest = kept.entrySet().iterator();
    while ((isTooMuch(more) || kept.size() > most) && eldest.hasNext()) {
      Map.Entry<KeptPrefix, Long> next = eldest.next();
      eldest.remove();
      drop(next.getKey(), next.getValue());
    }
  }

  @GuardedBy("this")
  private void drop(KeptPrefix dropped, long size) {
    dropped.close();
    bytes -= size;
  }

  @GuardedBy("this")
  private void dropAll(Predicate<KeptPrefix> which) {
    Iterator<Map.Entry<KeptPrefix, Long>> all = kept.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<KeptPrefix, Long> next = all.next();
      if (which.test(next.getKey())) {
        all.remove();
        drop(next.getKey(), next.getValue());
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    dropAll(_ -> true);
  }
}
