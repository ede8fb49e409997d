package dev.sluice.runtime.isolation;

import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The process of a model that has gone mad: it answers one of its orders with what makes no sense.
 * Each nested class is the main class of a kind of it.
 */
final class NonsenseProcess {
  /** One that every caller gets right: x is y. */
  static final ModelMetadata MODEL =
      new ModelMetadata(
          "nonsense",
          Map.of(
              Signature.DEFAULT,
              new Signature(
                  Signature.DEFAULT,
                  "",
                  List.of(new TensorSpec("x", DataType.FP32, Shape.of(1))),
                  List.of(new TensorSpec("y", DataType.FP32, Shape.of(1))))),
          false,
          0);

  private static final int FLOATS = List.of(DataType.values()).indexOf(DataType.FP32);

  private NonsenseProcess() {}

  private static void opens(Consumer<ProcessMessageWriter> answer) throws IOException {
    serve(answer, reply -> reply.begin(ProcessReply.DONE));
  }

  private static void runs(Consumer<ProcessMessageWriter> answer) throws IOException {
    serve(reply -> SignatureCodec.write(MODEL, reply.begin(ProcessReply.DONE)), answer);
  }

  private static void serve(
      Consumer<ProcessMessageWriter> opened, Consumer<ProcessMessageWriter> run)
      throws IOException {
    InputStream orders = System.in;
    PrintStream replies = System.out;
    var order = new ProcessMessageReader();
    var reply = new ProcessMessageWriter();
    try {
      while (true) {
        switch (order.receive(orders)) {
          case ProcessCommand.OPEN -> opened.accept(reply);
          case ProcessCommand.MAP -> reply.begin(ProcessReply.DONE);
          default -> run.accept(reply);
        }
        reply.send(replies);
        replies.flush();
      }
    } catch (EOFException _) {
      // The server has closed the session.
    }
  }

  /** What it opens is of a kind of reply that there is not. */
  static final class OpensAsAnotherKind {
    static void main(String[] arguments) throws IOException {
      opens(reply -> reply.begin((byte) 77));
    }
  }

  /** What it opens has half a name. */
  static final class OpensHalf {
    static void main(String[] arguments) throws IOException {
      opens(reply -> reply.begin(ProcessReply.DONE).putInt(100).putByte('x'));
    }
  }

  /** It fails for a reason that there is not. */
  static final class FailsForAnotherReason {
    static void main(String[] arguments) throws IOException {
      opens(reply -> reply.begin(ProcessReply.FAILED).putText("MOOD").putText("no").putFlag(false));
    }
  }

  /** A run is answered by a kind of reply that there is not. */
  static final class RunsToAnotherKind {
    static void main(String[] arguments) throws IOException {
      runs(reply -> reply.begin((byte) 77));
    }
  }

  /** Its outputs need more memory than the machine has. */
  static final class NeedsTooMuch {
    static void main(String[] arguments) throws IOException {
      runs(reply -> reply.begin(ProcessReply.TOO_SMALL).putLong(1L << 50));
    }
  }

  /** Its outputs need less than nothing. */
  static final class NeedsLessThanNothing {
    static void main(String[] arguments) throws IOException {
      runs(reply -> reply.begin(ProcessReply.TOO_SMALL).putLong(-1));
    }
  }

  /** It does not say how much its outputs need. */
  static final class NeedsSomething {
    static void main(String[] arguments) throws IOException {
      runs(reply -> reply.begin(ProcessReply.TOO_SMALL));
    }
  }

  /** Its output lies behind the end of the memory for it. */
  static final class AnswersFromElsewhere {
    static void main(String[] arguments) throws IOException {
      runs(reply -> output(reply, FLOATS, 1, 4, 1L << 40));
    }
  }

  /** Its output has no type. */
  static final class AnswersWithoutType {
    static void main(String[] arguments) throws IOException {
      runs(reply -> output(reply, 99, 1, 4, 0));
    }
  }

  /** The bytes of its output are not those of its shape. */
  static final class AnswersAnotherSize {
    static void main(String[] arguments) throws IOException {
      runs(reply -> output(reply, FLOATS, 1_000_000, 4, 0));
    }
  }

  private static void output(
      ProcessMessageWriter reply, int type, long elements, long bytes, long offset) {
    reply.begin(ProcessReply.DONE).putLong(bytes).putInt(type).putShape(Shape.of(elements));
    reply.putLong(bytes).putLong(offset);
  }
}
