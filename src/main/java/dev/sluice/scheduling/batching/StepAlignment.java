package dev.sluice.scheduling.batching;

import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.PaddingSide;
import dev.sluice.tensor.Tensor;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Padding of decode steps that run together: the longest row gets none, and the others as much as
 * they lack. Where caches are written in place all rows get room for further elements instead, once
 * for many steps.
 */
final class StepAlignment {
  private static final int MASK_RANK = 2;

  /** Caches that are written in place are as long as a multiple of this. */
  private static final long ROOM = 64;

  /** Room behind the longest row that is given back. */
  private static final long TOO_MUCH_ROOM = 4 * ROOM;

  /** Members run as they are. */
  private static final StepAlignment NONE = new StepAlignment(Map.of(), PaddingSide.LEFT);

  private final Map<String, Integer> axes;
  private final PaddingSide side;
  private final long[] added;

  /** Elements that rows have then, where caches are written in place; else 0. */
  private final long length;

  /**
   * @param axes the dimension of each input that is to be padded
   * @param side where
   * @param added elements that each member gets there; negative: that it loses
   */
  private StepAlignment(Map<String, Integer> axes, PaddingSide side, long... added) {
    this.axes = axes;
    this.side = side;
    this.added = added;
    this.length = 0;
  }

  private StepAlignment(LoopStep.Padding first, long length) {
    this.axes = first.axes();
    this.side = first.side();
    this.added = new long[0];
    this.length = length;
  }

  /** Returns what the members of a batch need. */
  static StepAlignment of(List<PendingRequest> members) {
    LoopStep.Padding first = members.getFirst().request().padding();
    if (first == null) {
      return NONE;
    }
    return first.inPlace().isEmpty() ? of(first, members) : inPlace(first, members);
  }

  private static StepAlignment inPlace(LoopStep.Padding first, List<PendingRequest> members) {
    long room = first.length() + first.present();
    long longest = 0;
    boolean fits = true;
    for (int i = 0; i < members.size(); i++) {
      LoopStep.Padding padding = padding(members.get(i));
      longest = Math.max(longest, padding.length());
      fits &= padding.length() + padding.present() == room && cacheLength(members.get(i)) == room;
    }
    return fits && room - longest <= TOO_MUCH_ROOM
        ? NONE
        : new StepAlignment(first, (longest / ROOM + 1) * ROOM);
  }

  private static StepAlignment of(LoopStep.Padding first, List<PendingRequest> members) {
    long longest = 0;
    for (int i = 0; i < members.size(); i++) {
      longest = Math.max(longest, padding(members.get(i)).length());
    }
    var added = new long[members.size()];
    boolean changes = false;
    for (int i = 0; i < added.length; i++) {
      LoopStep.Padding padding = padding(members.get(i));
      added[i] = longest - padding.length() - padding.present();
      changes |= added[i] != 0;
    }
    return changes ? new StepAlignment(first.axes(), first.side(), added) : NONE;
  }

  /** Returns how a decode step may be padded. */
  static LoopStep.Padding padding(PendingRequest member) {
    LoopStep.Padding padding = member.request().padding();
    if (padding == null) {
      throw new IllegalStateException("a step that cannot be padded has joined one that can");
    }
    return padding;
  }

  /** Returns whether a request has padding that it does not need when it runs alone. */
  static boolean isPadded(PendingRequest member) {
    LoopStep.Padding padding = member.request().padding();
    return padding != null && padding.present() > 0;
  }

  /** Returns the dimension along which an input is to be padded; 0 if it is not. */
  int axis(String input) {
    return axes.getOrDefault(input, 0);
  }

  /** Returns the side on which inputs are padded. */
  PaddingSide side() {
    return side;
  }

  /**
   * Returns the elements that each member gets on that side; negative: that it loses.
   *
   * @param tensors of one input that is to be padded
   */
  long[] added(List<Tensor> tensors, int axis) {
    if (length == 0) {
      return added;
    }
    var missing = new long[tensors.size()];
    for (int i = 0; i < missing.length; i++) {
      missing[i] = length - tensors.get(i).shape().dim(axis);
    }
    return missing;
  }

  /**
   * Puts decode steps in the order in which what they are fed lies in memory, so that rows which
   * ran together are joined without a copy, whichever of them was asked for first.
   */
  static void sort(List<PendingRequest> members) {
    if (members.getFirst().request().padding() != null && !areSorted(members)) {
      members.sort(Comparator.comparingLong(StepAlignment::address));
    }
  }

  private static boolean areSorted(List<PendingRequest> members) {
    long before = 0;
    for (int i = 0; i < members.size(); i++) {
      long address = address(members.get(i));
      if (address < before) {
        return false;
      }
      before = address;
    }
    return true;
  }

  /** Returns where the first of the caches lies; the mask is made anew for each step. */
  private static long address(PendingRequest member) {
    NamedTensor cache = cache(member);
    return cache == null ? 0 : cache.tensor().data().address();
  }

  private static long cacheLength(PendingRequest member) {
    NamedTensor cache = cache(member);
    return cache == null ? 0 : cache.tensor().shape().dim(padding(member).axis(cache.name()));
  }

  /** Returns the first of the caches; null if there is none. */
  static @Nullable NamedTensor cache(PendingRequest member) {
    LoopStep.Padding padding = padding(member);
    List<NamedTensor> inputs = member.request().inputs();
    for (int i = 0; i < inputs.size(); i++) {
      if (isCache(inputs.get(i), padding)) {
        return inputs.get(i);
      }
    }
    return null;
  }

  /** Returns whether an input is a cache: what has a length, and is not the mask. */
  static boolean isCache(NamedTensor input, LoopStep.Padding padding) {
    return input.tensor().shape().rank() > MASK_RANK && padding.axis(input.name()) > 0;
  }
}
