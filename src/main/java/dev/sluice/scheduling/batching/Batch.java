package dev.sluice.scheduling.batching;

import dev.sluice.scheduling.queue.PendingRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests that leave the queue together. Each worker has one, and fills it again and again.
 *
 * <p>Reused by its worker: assembling a batch allocates no list.
 */
public final class Batch {
  final List<PendingRequest> members = new ArrayList<>();
  final List<PendingRequest> abandoned = new ArrayList<>();

  /** First members of the batches that could not leave yet. */
  final List<PendingRequest> heads = new ArrayList<>();

  long waitNanos;

  /**
   * Of a batch in the making: rows, bytes of its inputs, when its oldest member came, whether
   * others did not fit.
   */
  int rows;

  long bytes;

  long sinceNanos;
  boolean full;

  /** Of a batch in the making: whether a stream waits for it that has begun. */
  boolean underWay;

  /** Returns the requests to run: one, or several that join. */
  public List<PendingRequest> members() {
    return members;
  }

  /** Requests that are abandoned, or have waited too long: not to be run. */
  public List<PendingRequest> abandoned() {
    return abandoned;
  }

  /** Returns the longest batch delay that is left. */
  public long waitNanos() {
    return waitNanos;
  }

  void clear() {
    members.clear();
    abandoned.clear();
    heads.clear();
    waitNanos = Long.MAX_VALUE;
  }

  void begin(PendingRequest head) {
    members.clear();
    members.add(head);
    rows = head.rows();
    bytes = head.request().inputBytes();
    sinceNanos = head.sinceNanos();
    full = false;
    underWay = head.isUnderWay();
  }

  void add(PendingRequest member) {
    members.add(member);
    rows += member.rows();
    bytes += member.request().inputBytes();
    underWay |= member.isUnderWay();
    if (member.sinceNanos() - sinceNanos < 0) {
      sinceNanos = member.sinceNanos();
    }
  }

  /** Leaves out members, but not the first, until so many rows are not exceeded. */
  void cutTo(int limit) {
    int kept = 0;
    int sum = 0;
    for (int i = 0; i < members.size(); i++) {
      PendingRequest member = members.get(i);
      if (i == 0 || sum + member.rows() <= limit) {
        sum += member.rows();
        members.set(kept++, member);
      }
    }
    members.subList(kept, members.size()).clear();
    rows = sum;
  }
}
