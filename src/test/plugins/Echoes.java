import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.extension.HttpHandler;
import dev.sluice.extension.HttpReply;
import dev.sluice.extension.HttpRequest;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Setup;
import dev.sluice.extension.Value;
import dev.sluice.tensor.Shape;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;

/** Does what the query asks for. */
public final class Echoes implements HttpHandler {
  private static final AtomicInteger LEFT = new AtomicInteger();
  private Setup setup;

  @Override
  public void open(Setup given) {
    setup = given;
  }

  @Override
  public void handle(HttpRequest request, HttpReply reply) throws Exception {
    switch (request.query()) {
      case "whole" ->
          reply
              .status(201)
              .header("Content-Type", "text/x-echo")
              .header("X-Method", request.method())
              .send(request.body());
      case "text" -> reply.send(setup.settings().get("greeting") + request.header("X-Name").get());
      case "chunks" -> {
        for (String piece : new String(request.body(), UTF_8).split(" ")) {
          reply.write(piece);
        }
      }
      case "nothing" -> {}
      case "throws" -> throw new IllegalStateException("boom");
      case "refuses" -> throw new Refusal(Refusal.Kind.UNAVAILABLE, "not today");
      case "breaks" -> {
        reply.write("so far so good, ");
        throw new IllegalStateException("but then");
      }
      case "twice" -> {
        reply.send("once");
        reply.send("twice");
      }
      case "header" -> reply.header("X-Bad", "a\r\nX-Other: b").send("");
      case "ask" -> {
        Value x = Value.floats("x", Shape.of(2), 1, 2);
        float[] y =
            setup.models().infer("doubler", java.util.List.of(x)).outputs().getFirst().floats();
        reply.send(y[0] + " " + y[1]);
      }
      case "ask-nobody" -> setup.models().infer("nobody", java.util.List.of());
      case "endless" -> endless(reply);
      case "left" -> reply.send(Integer.toString(LEFT.get()));
      default -> reply.status(404).send("no such thing: " + request.path());
    }
  }

  private static void endless(HttpReply reply) throws InterruptedException {
    try {
      while (true) {
        reply.write(new byte[1 << 16]);
      }
    } catch (CancellationException | InterruptedException e) {
      LEFT.incrementAndGet();
      throw e;
    }
  }
}
