package dev.sluice.telemetry.span;

import dev.sluice.inference.ModelId;
import dev.sluice.inference.RequestTrace;
import dev.sluice.inference.RequestTrace.Event;
import dev.sluice.inference.RequestTrace.JoinedRun;
import dev.sluice.inference.RequestTrace.Point;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Writes the stages of a request as spans below its own: a tool that shows traces shows the length
 * of spans, and of events only their time. Of several requests that were joined into one run, that
 * run is one span more, in a trace of its own, with links from and to each of them.
 */
final class StageSpans {
  /** Runs of one request that have spans: a stream may have thousands of steps. */
  private static final int MOST_RUNS = 32;

  private static final double NANOS_PER_MILLI = 1e6;

  private static final TimeUnit NANOSECONDS = TimeUnit.NANOSECONDS;

  private final Tracer tracer;
  private final Span request;
  private final long offset;
  private final Map<Long, Context> parents = new HashMap<>();
  private final Map<Long, Long> memberBegins = new HashMap<>();
  private final Map<Long, ModelId> models = new HashMap<>();

  /** Since when the next run was waited for until others had joined it. */
  private final Map<Long, Long> delays = new HashMap<>();

  private final List<Span> members = new ArrayList<>();
  private int runs;

  StageSpans(Tracer tracer, Span request, long offset) {
    this.tracer = tracer;
    this.request = request;
    this.offset = offset;
  }

  void write(SpanStages call, List<Event> events) {
    Context above = Context.root().with(request);
    stage("receive", above, call.begun(), call.received());
    if (call.asked() == 0) {
      stage("handle", above, call.received(), call.encoded());
    } else {
      stage("decode", above, call.received(), call.asked());
      events.forEach(event -> write(event, above));
      if (runs == 0 && members.isEmpty()) {
        stage(
            "queue", above, call.asked(), call.answered() == 0 ? call.encoded() : call.answered());
      }
      if (call.answered() != 0) {
        stage("encode", above, call.answered(), call.encoded());
      }
    }
    // Of a request that failed, members may have no end.
    members.forEach(member -> member.end(call.encoded() + offset, NANOSECONDS));
    stage("send", above, call.encoded(), call.sent());
    if (runs > 1) {
      request.setAttribute("sluice.runs", runs);
    }
  }

  private void write(Event event, Context above) {
    switch (event) {
      case Event.Begun begun -> begin(begun, above);
      case Event.Reached reached -> reach(reached);
      case Event.Delayed delayed -> delays.put(delayed.id(), delayed.since());
      case Event.Ran ran -> run(ran, parents.getOrDefault(ran.id(), above));
      case Event.Carried _ -> {
        // Tensors are Triton's traces' alone.
      }
    }
  }

  /** Begins the span of a member; that of the request itself has begun with its head. */
  private void begin(Event.Begun begun, Context above) {
    models.put(begun.id(), begun.model());
    if (begun.parent() == 0) {
      name(request, begun.model());
      parents.put(begun.id(), above);
    } else {
      memberBegins.put(begun.id(), begun.parent());
    }
  }

  private void reach(Event.Reached reached) {
    Long parent = memberBegins.get(reached.id());
    ModelId model = models.get(reached.id());
    if (parent == null || model == null) {
      return;
    }
    if (reached.point() == Point.REQUEST_START) {
      Context above = parents.getOrDefault(parent, Context.root().with(request));
      Span member = start("member " + model.name(), above, reached.nanos()).startSpan();
      name(member, model);
      members.add(member);
      parents.put(reached.id(), Context.root().with(member));
    } else if (reached.point() == Point.REQUEST_END && parents.containsKey(reached.id())) {
      Span.fromContext(parents.get(reached.id())).end(reached.nanos() + offset, NANOSECONDS);
    }
  }

  private static void name(Span span, ModelId model) {
    span.setAttribute("sluice.model.name", model.name());
    span.setAttribute("sluice.model.version", model.version());
  }

  private void run(Event.Ran ran, Context above) {
    Long delayed = delays.remove(ran.id());
    runs++;
    if (runs > MOST_RUNS) {
      return;
    }
    stage("queue", above, ran.queued(), delayed == null ? ran.begun() : delayed);
    if (delayed != null) {
      stage("batch delay", above, delayed, ran.begun());
    }
    SpanBuilder run = start("run", above, ran.begun());
    JoinedRun joined = ran.joined();
    if (joined != null) {
      run.addLink(context(joined.span(() -> write(ran, joined))));
    }
    Span span = run.startSpan();
    span.setAttribute(
        "sluice.run.compute_ms", (ran.computed() - ran.computing()) / NANOS_PER_MILLI);
    span.end(ran.ended() + offset, NANOSECONDS);
  }

  /** Writes the span that joined requests share: the first of them that ends does. */
  private RequestTrace.SpanId write(Event.Ran ran, JoinedRun joined) {
    SpanBuilder shared = start("joined run", Context.root(), ran.begun()).setNoParent();
    joined.requests().forEach(each -> shared.addLink(context(each)));
    Span span = shared.startSpan();
    span.setAttribute("sluice.batch.requests", joined.size());
    span.setAttribute("sluice.batch.rows", joined.rows());
    ModelId model = models.get(ran.id());
    if (model != null) {
      name(span, model);
    }
    span.end(ran.ended() + offset, NANOSECONDS);
    SpanContext made = span.getSpanContext();
    return new RequestTrace.SpanId(made.getTraceId(), made.getSpanId());
  }

  private static SpanContext context(RequestTrace.SpanId id) {
    return SpanContext.create(
        id.traceId(), id.spanId(), TraceFlags.getSampled(), TraceState.getDefault());
  }

  private void stage(String name, Context above, long from, long to) {
    start(name, above, from).startSpan().end(Math.max(from, to) + offset, NANOSECONDS);
  }

  private SpanBuilder start(String name, Context above, long nanos) {
    return tracer.spanBuilder(name).setParent(above).setStartTimestamp(nanos + offset, NANOSECONDS);
  }
}
