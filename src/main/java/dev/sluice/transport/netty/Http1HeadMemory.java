package dev.sluice.transport.netty;

import dev.sluice.tensor.MemoryAccount;
import dev.sluice.tensor.MemoryBudget.Kind;
import dev.sluice.transport.connection.MalformedRequest;
import dev.sluice.transport.connection.RequestMemory;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Charges the heads and trailers of an HTTP/1.1 connection's requests, from their first byte until
 * they are answered: a header of four bytes becomes objects of more than a hundred, and requests
 * that are pipelined wait for those before them. On the connection's event loop.
 */
final class Http1HeadMemory {
  /** Bytes of a connection that are not charged: a request with the headers that most have. */
  private static final int UNCHARGED = 6 * 1024;

  /** Bytes that are charged at once. */
  private static final int STEP = 4 * 1024;

  /** Bytes of a request's objects without its headers. */
  private static final int REQUEST = 1024;

  /** Bytes of a header's objects beside those of its name and its value. */
  private static final int HEADER = 128;

  /** Bytes in which requests that wait for an earlier one are counted: small numbers. */
  private static final int UNIT = 256;

  private static final AttributeKey<Http1HeadMemory> KEY =
      AttributeKey.valueOf(Http1HeadMemory.class, "of");

  private final MemoryAccount account;
  private final int mostFields;

  /** Units of the requests before the latest one that are not answered. */
  private final Queue<Integer> earlier = new ArrayDeque<>();

  private long held;
  private long charged;
  private int latest;
  private int fields;
  private int unread;
  private boolean answered = true;

  private Http1HeadMemory(MemoryAccount account, int mostFields) {
    this.account = account;
    this.mostFields = mostFields;
  }

  /**
   * Counts the heads of a connection that has just been accepted, until it is closed.
   *
   * @param mostFields headers and trailers of one request
   */
  static void attach(Channel connection, RequestMemory memory, int mostFields) {
    MemoryAccount account = memory.account(connection);
    connection.attr(KEY).set(new Http1HeadMemory(account, mostFields));
    connection.closeFuture().addListener(_ -> account.close());
  }

  /** Returns what counts the heads of a connection; null if it is no listener's. */
  static @Nullable Http1HeadMemory of(Channel connection) {
    return connection.attr(KEY).get();
  }

  /**
   * Counts a request whose first line has been read.
   *
   * @throws MalformedRequest if there is no memory for it
   */
  void begin() {
    if (answered) {
      held -= latest;
    } else {
      int units = (latest + UNIT - 1) / UNIT;
      held += (long) units * UNIT - latest;
      earlier.add(units);
    }
    answered = false;
    latest = 0;
    fields = 0;
    take(REQUEST);
    require();
  }

  /**
   * Counts a header or a trailer of the latest request.
   *
   * @throws MalformedRequest if it has too many, or if there is no memory for one more
   */
  void field() {
    if (++fields > mostFields) {
      throw new MalformedRequest(
          MalformedRequest.HEADERS_TOO_LARGE,
          "the request has more than %d headers (setting limits.max_header_fields)"
              .formatted(mostFields));
    }
    take(HEADER);
    require();
  }

  /** Counts bytes of the latest request's head that have been read. */
  void read(int bytes) {
    take(bytes - unread);
    latest += unread;
    unread = 0;
    update();
  }

  /** Sets the number of bytes that wait for the rest of their line. */
  void unread(int bytes) {
    if (bytes != unread) {
      held += bytes - unread;
      unread = bytes;
      update();
    }
  }

  /** Gives back what the oldest request has taken. */
  void answered() {
    Integer oldest = earlier.poll();
    if (oldest != null) {
      held -= (long) oldest * UNIT;
    } else {
      held -= latest;
      latest = 0;
      answered = true;
    }
    update();
  }

  private void take(int bytes) {
    held += bytes;
    latest += bytes;
  }

  private void require() {
    long more = target() - charged;
    if (more > 0 && !tryCharge(more)) {
      throw new MalformedRequest(
          MalformedRequest.TOO_MANY_REQUESTS,
          "no memory for the head of the request: "
              + account.refusal(Kind.BODY, more).getMessage());
    }
  }

  /** Small sizes may use all of the budget, but not what is small only since it grows in steps. */
  private boolean tryCharge(long more) {
    if (account.budget().free(Long.MAX_VALUE) < more || !account.tryCharge(Kind.BODY, more)) {
      return false;
    }
    charged += more;
    return true;
  }

  /** Charges what is here already, or gives back what is not needed any more. */
  private void update() {
    long target = target();
    if (target > charged) {
      account.force(Kind.BODY, target - charged);
    } else if (target < charged) {
      account.release(Kind.BODY, charged - target);
    }
    charged = target;
  }

  private long target() {
    return (Math.max(0, held - UNCHARGED) + STEP - 1) / STEP * STEP;
  }
}
