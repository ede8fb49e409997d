package dev.sluice.scheduling.batching;

import dev.sluice.inference.RequestTrace;
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

  /** Of a batch in the making: rows, when its oldest member came, whether others did not fit. */
  int rows;

  long sinceNanos;
  boolean full;

  /**
   * Of a batch in the making: bytes of its inputs without those of rows that have a length, the
   * bytes that these take for each element of length, and the lengths themselves; 0 for a batch
   * without such rows.
   */
  private long fixedBytes;

  private long elementBytes;
  long shortest;
  long longest;

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

  void begin(PendingRequest head, RowSize size) {
    members.clear();
    members.add(head);
    rows = head.rows();
    fixedBytes = size.fixedBytes();
    elementBytes = size.elementBytes();
    shortest = size.length();
    longest = size.length();
    sinceNanos = head.sinceNanos();
    full = false;
    underWay = head.isUnderWay();
  }

  /** Returns the bytes of its inputs with another request, and with the padding of both. */
  long bytesWith(RowSize size) {
    return fixedBytes
        + size.fixedBytes()
        + (elementBytes + size.elementBytes()) * Math.max(longest, size.length());
  }

  void add(PendingRequest member, RowSize size) {
    members.add(member);
    rows += member.rows();
    fixedBytes += size.fixedBytes();
    elementBytes += size.elementBytes();
    shortest = Math.min(shortest, size.length());
    longest = Math.max(longest, size.length());
    underWay |= member.isUnderWay();
    if (member.sinceNanos() - sinceNanos < 0) {
      sinceNanos = member.sinceNanos();
    }
  }

  /** Returns when the last of its members came. */
  long lastNanos() {
    long last = members.getFirst().sinceNanos();
    for (int i = 1; i < members.size(); i++) {
      long since = members.get(i).sinceNanos();
      last = since - last > 0 ? since : last;
    }
    return last;
  }

  /**
   * Records of the members that are traced since when they waited for others.
   *
   * @param delayed since when a worker has waited
   * @param complete when there was nothing to wait for any more
   */
  void recordDelay(long delayed, long complete) {
    for (int i = 0; i < members.size(); i++) {
      PendingRequest member = members.get(i);
      RequestTrace trace = member.request().trace();
      long since = Math.max(delayed, member.sinceNanos());
      if (trace != null && complete - since > 0) {
        trace.delayed(since);
      }
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
