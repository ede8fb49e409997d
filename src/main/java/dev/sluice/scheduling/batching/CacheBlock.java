package dev.sluice.scheduling.batching;

import dev.sluice.inference.LoopStep;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.SequencePadding;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The caches that a run of decode steps has left, as the next run takes them: without a copy but
 * for the rows of streams that come. These take rows of streams that have left; what is left of
 * such rows runs along, and is read by no stream.
 *
 * <p>Owner: owns nothing. Each stream owns its slices of the block, and the last one to close them
 * frees it. Rows are written to only if the members alone have slices. One thread, as long as the
 * members are open.
 */
final class CacheBlock {
  /**
   * The rows of a member.
   *
   * @param row the first, counted in the block
   * @param comes whether its caches are yet to be copied there
   */
  private record Place(PendingRequest member, int row, boolean comes) {
    int end() {
      return row + member.rows();
    }

    LoopStep.Padding padding() {
      return StepAlignment.padding(member);
    }

    Tensor tensor(String input, int likely) {
      NamedTensor there = member.request().inputs().get(likely);
      return there.name().equals(input)
          ? there.tensor()
          : Objects.requireNonNull(member.request().input(input)).tensor();
    }
  }

  /** By their rows. */
  private final List<Place> places;

  /** The first of the rows that run, and how many do. */
  private final int from;

  private final int size;

  /** Elements of each row with its padding, those of the step to come among them. */
  private final long length;

  private CacheBlock(List<Place> places, int from, int size) {
    this.places = places;
    this.from = from;
    this.size = size;
    LoopStep.Padding stays = resident(places).padding();
    this.length = stays.present() + stays.length();
  }

  private static Place resident(List<Place> places) {
    for (int i = 0; i < places.size(); i++) {
      if (!places.get(i).comes()) {
        return places.get(i);
      }
    }
    throw new IllegalStateException("a block of which no member has a row");
  }

  /**
   * Returns the block that most members have rows of; null if there is none, or the others find no
   * rows in it.
   *
   * @param members sorted by where their caches lie
   */
  static @Nullable CacheBlock of(List<PendingRequest> members, BatchRules rules) {
    NamedTensor first = StepAlignment.cache(members.getFirst());
    List<Tensor> caches = first == null ? List.of() : BatchAssembler.tensors(members, first.name());
    SharedTensor block = most(caches);
    List<Place> places = block == null ? null : places(members, caches, block);
    if (block == null || places == null) {
      return null;
    }
    places.sort(Comparator.comparingInt(Place::row));
    int begin = places.getFirst().row();
    int size = rules.paddedSize(places.getLast().end() - begin);
    int from = Math.min(begin, rows(block) - size);
    var found = new CacheBlock(places, from, size);
    return from >= 0 && found.fits() ? found : null;
  }

  private static int rows(SharedTensor block) {
    return Math.toIntExact(block.shape().dim(0));
  }

  /** Returns what most tensors that lie side by side were cut from; null if they are no slices. */
  private static @Nullable SharedTensor most(List<Tensor> tensors) {
    SharedTensor most = null;
    SharedTensor last = null;
    int found = 0;
    int count = 0;
    for (int i = 0; i < tensors.size(); i++) {
      SharedTensor own = SharedTensor.of(tensors.get(i));
      count = own == last ? count + 1 : 1;
      last = own;
      if (own != null && count > found) {
        most = own;
        found = count;
      }
    }
    return most;
  }

  /** Returns the rows of each member; null if there is none for one that comes. */
  private static @Nullable List<Place> places(
      List<PendingRequest> members, List<Tensor> caches, SharedTensor block) {
    var places = new ArrayList<Place>(members.size());
    var taken = new boolean[rows(block)];
    int lowest = 0;
    for (int i = members.size() - 1; i >= 0; i--) {
      if (SharedTensor.of(caches.get(i)) == block) {
        lowest = block.rowOf(caches.get(i));
        add(places, new Place(members.get(i), lowest, false), taken);
      }
    }
    for (int i = 0; i < members.size(); i++) {
      if (SharedTensor.of(caches.get(i)) != block) {
        int row = free(taken, lowest, members.get(i).rows());
        if (row < 0) {
          return null;
        }
        add(places, new Place(members.get(i), row, true), taken);
      }
    }
    return places;
  }

  private static void add(List<Place> places, Place place, boolean[] taken) {
    places.add(place);
    Arrays.fill(taken, place.row(), place.end(), true);
  }

  /** Returns where so many rows are free, from a row on or else before; -1 if nowhere. */
  private static int free(boolean[] taken, int lowest, int rows) {
    int behind = free(taken, lowest, taken.length, rows);
    return behind < 0 ? free(taken, 0, lowest, rows) : behind;
  }

  private static int free(boolean[] taken, int from, int to, int rows) {
    int count = 0;
    for (int row = from; row < to; row++) {
      count = taken[row] ? 0 : count + 1;
      if (count == rows) {
        return row + 1 - rows;
      }
    }
    return -1;
  }

  /** Returns whether all caches lie as the first does, and the rows of those that come fit. */
  private boolean fits() {
    if (longest() > length) {
      return false;
    }
    List<NamedTensor> inputs = resident(places).member().request().inputs();
    for (int i = 0; i < inputs.size(); i++) {
      boolean cache = StepAlignment.isCache(inputs.get(i), places.getFirst().padding());
      if (cache && !fits(inputs.get(i), i)) {
        return false;
      }
    }
    return true;
  }

  private boolean fits(NamedTensor cache, int index) {
    SharedTensor block = SharedTensor.of(cache.tensor());
    int axis = places.getFirst().padding().axis(cache.name());
    if (block == null || !cache.tensor().type().isFixedSize()) {
      return false;
    }
    int stay = 0;
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      Tensor tensor = place.tensor(cache.name(), index);
      stay += place.comes() ? 0 : 1;
      boolean fits =
          place.comes()
              ? tensor.shape().dim(axis) + added(place) == block.shape().dim(axis)
              : isRow(block, tensor, place.row());
      if (!fits) {
        return false;
      }
    }
    return stay == places.size() || block.isLeft(stay);
  }

  private static boolean isRow(SharedTensor block, Tensor slice, int row) {
    return SharedTensor.of(slice) == block
        && block.shape().hasRowsLike(slice.shape())
        && block.rowOf(slice) == row;
  }

  private long added(Place place) {
    return length - place.padding().present() - place.padding().length();
  }

  private long longest() {
    long longest = 0;
    for (int i = 0; i < places.size(); i++) {
      longest = Math.max(longest, places.get(i).padding().length());
    }
    return longest;
  }

  /** Returns how many elements run. */
  long elements() {
    return size * length;
  }

  /** Returns how many elements would run if the caches were copied. */
  long needed() {
    long rows = 0;
    for (int i = 0; i < places.size(); i++) {
      rows += places.get(i).member().rows();
    }
    return rows * longest();
  }

  /** Returns how many rows run. */
  int size() {
    return size;
  }

  /** Returns how many rows run along before those of a member. */
  int gap(int member) {
    return places.get(member).row() - (member == 0 ? from : places.get(member - 1).end());
  }

  /** Puts the members in the order of their rows. */
  void sort(List<PendingRequest> members) {
    for (int i = 0; i < places.size(); i++) {
      members.set(i, places.get(i).member());
    }
  }

  /** Returns one set of inputs, the caller's to close. */
  List<NamedTensor> assemble() {
    List<NamedTensor> likely = places.getFirst().member().request().inputs();
    var inputs = new ArrayList<NamedTensor>(likely.size());
    try {
      for (int i = 0; i < likely.size(); i++) {
        boolean cache = StepAlignment.isCache(likely.get(i), places.getFirst().padding());
        String name = likely.get(i).name();
        inputs.add(new NamedTensor(name, cache ? cache(name, i) : joined(name, i)));
      }
      return inputs;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(inputs);
      throw e;
    }
  }

  /** Copies the rows that come into the block. */
  private Tensor cache(String name, int index) {
    SharedTensor block =
        Objects.requireNonNull(SharedTensor.of(resident(places).tensor(name, index)));
    for (int i = 0; i < places.size(); i++) {
      Place place = places.get(i);
      if (place.comes()) {
        try (Tensor rows = block.rows(place.row(), place.member().rows())) {
          LoopStep.Padding padding = place.padding();
          SequencePadding.copy(
              place.tensor(name, index), padding.axis(name), padding.side(), added(place), rows);
        }
      }
    }
    return block.rows(from, size);
  }

  /** Returns an input of all rows: those that run along have the first one's. */
  private Tensor joined(String name, int index) {
    Tensor first = places.getFirst().tensor(name, index);
    Shape row = first.shape().withRows(1);
    var tensors = new ArrayList<Tensor>(size);
    var added = new long[size];
    for (int i = 0; i < places.size(); i++) {
      for (int j = 0; j < gap(i); j++) {
        added[tensors.size()] = added(places.getFirst());
        tensors.add(first.borrowFirst(row));
      }
      added[tensors.size()] = added(places.get(i));
      tensors.add(places.get(i).tensor(name, index));
    }
    LoopStep.Padding padding = places.getFirst().padding();
    int axis = padding.axis(name);
    return axis > 0
        ? BatchAssembler.aligned(tensors, axis, padding.side(), added, size)
        : BatchAssembler.joined(tensors, size);
  }
}
