package dev.sluice.inference;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Record of one sampled request: when it reached which point, and its tensors. A request to a
 * composed model has one trace for itself and one below it for each request to a member; all of
 * them end together, with the first. What is recorded is bounded. Any thread.
 */
public final class RequestTrace {
  /** Events of one recording, besides its tensors. */
  private static final int MOST_EVENTS = 4_096;

  /** Bytes that a tensor costs besides its elements. */
  private static final int TENSOR_HEAD = 128;

  /** Points of a request, by Triton's names. */
  public enum Point {
    HTTP_RECV_START,
    HTTP_RECV_END,
    GRPC_WAITREAD_START,
    GRPC_WAITREAD_END,
    REQUEST_START,
    QUEUE_START,
    COMPUTE_START,
    COMPUTE_INPUT_END,
    COMPUTE_OUTPUT_START,
    COMPUTE_END,
    INFER_RESPONSE_COMPLETE,
    REQUEST_END,
    HTTP_SEND_START,
    HTTP_SEND_END,
    GRPC_SEND_START,
    GRPC_SEND_END
  }

  /** The point at which tensors were recorded, by Triton's names. */
  public enum Activity {
    TENSOR_QUEUE_INPUT,
    TENSOR_BACKEND_OUTPUT
  }

  /** One thing that is recorded. */
  public sealed interface Event {
    /** Returns the number of the trace that it belongs to. */
    long id();

    /**
     * The request has its model.
     *
     * @param parent the trace above; 0 for none
     * @param requestId the caller's name for the request; empty if it gave none
     */
    record Begun(long id, long parent, ModelId model, String requestId) implements Event {}

    /** The request has reached a point. */
    record Reached(long id, Point point, long nanos) implements Event {}

    /**
     * The model ran for the request. The same times are points too.
     *
     * @param queued when it began to wait
     * @param begun when the worker took it
     * @param computing when its inputs were put together
     * @param computed when the model was done
     * @param ended when its outputs were there
     * @param joined the run, if it was for other requests too of which one has a span
     */
    record Ran(
        long id,
        long queued,
        long begun,
        long computing,
        long computed,
        long ended,
        @Nullable JoinedRun joined)
        implements Event {}

    /**
     * Until its next run the request waited for others to join it.
     *
     * @param since when that began, while it was in the queue
     */
    record Delayed(long id, long since) implements Event {}

    /**
     * A tensor went by.
     *
     * @param data its bytes as {@link Tensor} lays them out; null if the trace has no room for them
     */
    @SuppressWarnings("ArrayRecordComponent") // Written once, read once.
    record Carried(
        long id, Activity activity, String name, DataType type, Shape shape, byte @Nullable [] data)
        implements Event {}
  }

  /** The span that a request is recorded for, by the hexadecimal ids of W3C Trace Context. */
  public record SpanId(String traceId, String spanId) {}

  /** One run for several requests, some of which have spans. Any thread. */
  public static final class JoinedRun {
    private final int size;
    private final long rows;
    private final List<SpanId> requests;

    @GuardedBy("this")
    private @Nullable SpanId span;

    /**
     * @param size how many requests it was for
     * @param rows of their tensors
     * @param requests those with spans
     */
    public JoinedRun(int size, long rows, List<SpanId> requests) {
      this.size = size;
      this.rows = rows;
      this.requests = List.copyOf(requests);
    }

    /** Returns how many requests it was for. */
    public int size() {
      return size;
    }

    /** Returns the number of rows of all of them. */
    public long rows() {
      return rows;
    }

    /** Returns the requests with spans. */
    public List<SpanId> requests() {
      return requests;
    }

    /** Returns its own span, which the first caller writes. */
    public synchronized SpanId span(Supplier<SpanId> writer) {
      if (span == null) {
        span = writer.get();
      }
      return span;
    }
  }

  /**
   * The extent of a recording.
   *
   * @param timestamps whether points are
   * @param tensors whether tensors are
   * @param maxBytes of tensors, for a request and all that it makes of members
   */
  public record Scope(boolean timestamps, boolean tensors, long maxBytes) {}

  /** The recording that a request and those below it share. */
  private static final class Recording {
    private final Scope scope;
    private final LongSupplier ids;
    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private final List<Event> events = new ArrayList<>();

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private boolean ended;

    /** Runs under way, by their traces, for a span. */
    @GuardedBy("this")
    private final Map<Long, Event.Ran> running = new LinkedHashMap<>(0);

    private String requestId = "";
    private volatile @Nullable SpanId span;

    Recording(Scope scope, LongSupplier ids, LongSupplier nanoTime) {
      this.scope = scope;
      this.ids = ids;
      this.nanoTime = nanoTime;
    }

    /** Records the end of a run that may be under way. */
    synchronized void ran(Event.Ran run) {
      forget(run.id());
      add(run);
    }

    synchronized void add(Event event) {
      if (!ended && events.size() < MOST_EVENTS) {
        events.add(event);
      }
    }

    /** Returns whether so many bytes may be kept, which are counted then. */
    synchronized boolean reserve(long more) {
      boolean fits = !ended && more <= scope.maxBytes - bytes;
      bytes += fits ? more : 0;
      return fits;
    }

    synchronized void began(Event.Ran run) {
      if (!ended) {
        running.put(run.id(), run);
      }
    }

    synchronized void forget(long id) {
      running.remove(id);
    }

    /** Returns what there is, and the runs under way as if they ended now. */
    synchronized List<Event> events() {
      List<Event> all = new ArrayList<>(events);
      long now = nanoTime.getAsLong();
      running.values().forEach(run -> all.add(inVain(run.id(), run.queued(), run.begun(), now)));
      return List.copyOf(all);
    }

    synchronized List<Event> end() {
      ended = true;
      List<Event> all = events();
      events.clear();
      running.clear();
      return all;
    }
  }

  private final Recording recording;
  private final long id;
  private final long parent;

  private RequestTrace(Recording recording, long parent) {
    this.recording = recording;
    this.id = recording.ids.getAsLong();
    this.parent = parent;
  }

  /**
   * Begins the trace of a request.
   *
   * @param ids numbers of traces, from 1
   * @param nanoTime the clock of points
   */
  public static RequestTrace begin(Scope scope, LongSupplier ids, LongSupplier nanoTime) {
    return new RequestTrace(new Recording(scope, ids, nanoTime), 0);
  }

  /** Begins the trace of a request to a member. */
  RequestTrace below() {
    return new RequestTrace(recording, id);
  }

  /** Keeps the caller's name for the request, which is that of all below it. */
  void named(String requestId) {
    recording.requestId = requestId;
  }

  /** Records the request's model and its inputs. Copies as many bytes as there is room. */
  void asks(InferenceRequest request) {
    recording.add(new Event.Begun(id, parent, request.model().id(), recording.requestId));
    if (parent != 0) {
      reach(Point.REQUEST_START, recording.nanoTime.getAsLong());
    }
    carry(Activity.TENSOR_QUEUE_INPUT, request.inputs());
  }

  /** Records that the request has reached a point. */
  public void reach(Point point, long nanos) {
    if (recording.scope.timestamps) {
      recording.add(new Event.Reached(id, point, nanos));
    }
  }

  /** Has it recorded for a span. Before the model is asked. */
  public void belongsTo(SpanId id) {
    recording.span = id;
  }

  /** Returns the span that it is recorded for; null if it is for none. */
  public @Nullable SpanId span() {
    return recording.span;
  }

  /** Records for a span since when the request has waited for others to join its next run. */
  public void delayed(long since) {
    if (recording.span != null) {
      recording.add(new Event.Delayed(id, since));
    }
  }

  /**
   * Records that the model ran for the request; it then has its answer if it is a member's.
   *
   * @param joined the run, if it was for several requests
   */
  public void ran(
      long queued,
      long begun,
      long computing,
      long computed,
      long ended,
      @Nullable JoinedRun joined) {
    reach(Point.QUEUE_START, queued);
    reach(Point.COMPUTE_START, begun);
    reach(Point.COMPUTE_INPUT_END, computing);
    reach(Point.COMPUTE_OUTPUT_START, computed);
    reach(Point.COMPUTE_END, ended);
    if (recording.span != null) {
      recording.ran(new Event.Ran(id, queued, begun, computing, computed, ended, joined));
    }
    answered(ended);
  }

  /**
   * Records for a span that the model ran for the request in vain. Triton has no points of that.
   */
  public void failed(long queued, long begun, long ended) {
    if (recording.span != null) {
      recording.ran(inVain(id, queued, begun, ended));
    }
  }

  private static Event.Ran inVain(long id, long queued, long begun, long ended) {
    return new Event.Ran(id, queued, begun, begun, ended, ended, null);
  }

  /** Records for a span that the model runs for the request from now on. */
  void runBegan(long queued, long now) {
    if (recording.span != null) {
      recording.began(inVain(id, queued, now, now));
    }
  }

  /** Forgets a run that {@link #runBegan}. */
  void runForgotten() {
    if (recording.span != null) {
      recording.forget(id);
    }
  }

  /** Records that the request has its answer, if it is a member's: others see that themselves. */
  public void answered(long nanos) {
    if (parent != 0) {
      reach(Point.REQUEST_END, nanos);
    }
  }

  /** Records the tensors of an answer, which stay the caller's. */
  public void outputs(List<NamedTensor> outputs) {
    carry(Activity.TENSOR_BACKEND_OUTPUT, outputs);
  }

  private void carry(Activity activity, List<NamedTensor> tensors) {
    if (recording.scope.tensors) {
      for (NamedTensor named : tensors) {
        carry(activity, named);
      }
    }
  }

  private void carry(Activity activity, NamedTensor named) {
    Tensor tensor = named.tensor();
    boolean fits = recording.reserve(tensor.byteSize() + TENSOR_HEAD);
    byte[] data = fits ? tensor.data().toArray(ValueLayout.JAVA_BYTE) : null;
    recording.add(
        new Event.Carried(id, activity, named.name(), tensor.type(), tensor.shape(), data));
  }

  /** Returns what is recorded so far. */
  public List<Event> events() {
    return recording.events();
  }

  /** Ends the recording, and returns it. Nothing is recorded any more; empty if it has ended. */
  public List<Event> end() {
    return recording.end();
  }
}
