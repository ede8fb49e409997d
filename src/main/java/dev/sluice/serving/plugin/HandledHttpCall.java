package dev.sluice.serving.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.extension.HttpHandler;
import dev.sluice.extension.HttpReply;
import dev.sluice.extension.HttpRequest;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.PluginHttpCall;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.telemetry.meter.RunMeter;
import io.vertx.core.Context;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;

/**
 * One HTTP request that a plugin answers. The code writes on a thread of its own and waits there
 * for the client; the event loop sends.
 */
final class HandledHttpCall extends PluginCall<Boolean> implements HttpReply, OpenStreams.Stream {
  /** Chunks that are written ahead of the client. */
  private static final int AHEAD = 8;

  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Pattern LINE_BREAK = Pattern.compile("[\\r\\n\\x00]");
  private static final Set<String> FRAMING =
      Set.of("content-length", "transfer-encoding", "connection");

  private final PluginVersion version;
  private final HttpHandler handler;
  private final ModelLease model;
  private final PluginHttpCall call;
  private final OpenStreams open;
  private final Context callerContext;
  private final long since;
  private final Semaphore permits = new Semaphore(AHEAD);
  private final Map<String, String> headers = new LinkedHashMap<>();
  private int status = 200;
  private boolean begun;
  private boolean whole;

  // The event loop's.
  private int unsent;
  private boolean awaitsWritable;

  HandledHttpCall(
      PluginVersion version,
      HttpHandler handler,
      ModelLease model,
      PluginHttpCall call,
      OpenStreams open) {
    super(version.streaming(), version.code(), version.limit());
    this.version = version;
    this.handler = handler;
    this.model = model;
    this.call = call;
    this.open = open;
    this.callerContext = version.callerContext();
    this.since = version.nanoTime().getAsLong();
  }

  /** Records that the caller disconnected. */
  void leave() {
    giveUp(new InferenceException(ErrorCode.CANCELLED, "the caller has left"));
  }

  @Override
  protected void prepare() {
    // The request is on the heap and stays there.
  }

  @Override
  protected Boolean call() throws Exception {
    RunMeter meter = version.meters().begin();
    boolean ended = false;
    try {
      handler.handle(request(), this);
      ended = true;
    } finally {
      if (ended && !isOver()) {
        version.meters().answered(meter, since, null, null);
      } else {
        version.meters().end(meter);
      }
    }
    return true;
  }

  private HttpRequest request() {
    PluginHttpCall.Head head = call.head();
    return new HttpRequest(
        head.method(), head.path(), head.query(), head.headers(), call.body(), head.streaming());
  }

  @Override
  public HttpReply status(int wanted) {
    requireUnwritten();
    if (wanted < 200 || wanted > 599) {
      throw new IllegalArgumentException("status " + wanted + ", wanted 200 to 599");
    }
    status = wanted;
    return this;
  }

  @Override
  public HttpReply header(String name, String value) {
    requireUnwritten();
    boolean valid = NAME.matcher(name).matches() && !LINE_BREAK.matcher(value).find();
    if (!valid || FRAMING.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException("no header for an answer: " + name);
    }
    headers.put(name, value);
    return this;
  }

  @Override
  public void send(byte[] body) {
    requireUnwritten();
    requireReader();
    whole = true;
    onLoop(() -> {
      headers.forEach(call::header);
      call.answer(status, body);
    });
  }

  @Override
  public void send(String text) {
    if (headers.keySet().stream().noneMatch(name -> name.equalsIgnoreCase("content-type"))) {
      header("Content-Type", "text/plain; charset=utf-8");
    }
    send(text.getBytes(UTF_8));
  }

  @Override
  public void write(byte[] chunk) throws InterruptedException {
    if (whole) {
      throw new IllegalStateException("the whole answer was sent already");
    }
    awaitWritable();
    requireReader();
    if (!begun) {
      begun = true;
      onLoop(() -> {
        headers.forEach(call::header);
        call.begin(status);
      });
    }
    onLoop(() -> writeNow(chunk));
  }

  private void awaitWritable() throws InterruptedException {
    pause();
    try {
      permits.acquire();
    } finally {
      resume();
    }
  }

  private void onLoop(Runnable action) {
    callerContext.runOnContext(_ -> action.run());
  }

  private void writeNow(byte[] chunk) {
    call.write(chunk);
    unsent++;
    if (!call.isWriteQueueFull()) {
      sent();
    } else if (!awaitsWritable) {
      awaitsWritable = true;
      call.onWritable(this::sent);
    }
  }

  private void sent() {
    awaitsWritable = false;
    permits.release(unsent);
    unsent = 0;
  }

  private void requireUnwritten() {
    if (begun || whole) {
      throw new IllegalStateException("the answer was begun already");
    }
  }

  private void requireReader() {
    if (isOver()) {
      throw new CancellationException("the request was cancelled");
    }
  }

  @Override
  public boolean isCancelled() {
    return isOver();
  }

  @Override
  protected void succeeded(Boolean result) {
    open.leave(this);
    model.release();
    if (begun) {
      onLoop(call::end);
    } else if (!whole) {
      onLoop(() -> {
        headers.forEach(call::header);
        call.answer(status, new byte[0]);
      });
    }
  }

  @Override
  protected void failed(InferenceException why) {
    open.leave(this);
    version.meters().failed(why);
    model.release();
    onLoop(() -> {
      if (!whole) {
        call.fail(why);
      }
    });
  }
}
