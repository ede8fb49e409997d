package dev.sluice.serving;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.config.ModelConfigReader;
import dev.sluice.config.SluiceConfig;
import dev.sluice.config.model.ModelConfig;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelId;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.access.Caller;
import dev.sluice.scheduling.deadline.TestContexts;
import dev.sluice.scheduling.ratelimit.InstancePermit;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.serving.worker.ConcurrencyMonitor;
import dev.sluice.serving.worker.ModelInstances;
import dev.sluice.serving.worker.WorkerPool;
import dev.sluice.telemetry.Telemetry;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorMemory;
import dev.sluice.testing.FakeModelLease;
import dev.sluice.testing.HeldSession;
import dev.sluice.testing.MaskedDecoder;
import dev.sluice.testing.Polling;
import dev.sluice.testing.StreamReader;
import dev.sluice.testing.Tensors;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A decoder that is served, and whose runs a test holds. Nothing is open once it is closed. */
final class HeldDecoder implements AutoCloseable {
  /** Setting of streams with which a model takes text; see {@link #writeVocabulary}. */
  static final String TEXT = "  text: { vocabulary: vocabulary.json }";

  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEF";

  private final long blocksBefore = TensorMemory.openBlocks();
  private final Vertx vertx = Vertx.vertx();
  private final Context callerContext = vertx.getOrCreateContext();
  private final FakeModelLease lease;
  private final HeldSession session;
  private final ServableModel model;
  private final int proofs;
  private List<String> asked = List.of();
  private @Nullable StreamReader blocker;

  /**
   * @param files of the model, {@code model.yml} apart
   * @param watched the input whose shapes are kept
   */
  HeldDecoder(Path files, ModelConfig config, String watched) {
    this(files, config, watched, System::nanoTime);
  }

  /**
   * @param nanoTime the model's clock
   */
  HeldDecoder(Path files, ModelConfig config, String watched, LongSupplier nanoTime) {
    this.session = new HeldSession(MaskedDecoder.open(files), watched);
    this.lease =
        new FakeModelLease(new ModelId("decoder", 1), session.metadata().withMaxBatchSize(64));
    this.model =
        ServableModel.start(
            session.metadata().withMaxBatchSize(64),
            new ModelInstances(
                List.of(session),
                List.of(InstancePermit.UNLIMITED),
                () -> MaskedDecoder.open(files)),
            config,
            Telemetry.unseen().version(lease.id()),
            new WorkerPool(
                TestContexts.of(vertx), "test-model", new ConcurrencyMonitor(vertx, 1), nanoTime));
    this.proofs = session.shapes().size();
  }

  static ModelConfig config(Path folder) {
    return new ModelConfigReader(SluiceConfig.DEFAULT, warning -> fail(warning)).read(folder);
  }

  HeldSession held() {
    return session;
  }

  ServableModel model() {
    return model;
  }

  /** The tokens of each row in each run since it was loaded, the rows being as many. */
  List<String> runs() {
    return session.shapes().stream()
        .skip(proofs)
        .map(shape -> shape.dim(0) + "x" + shape.dim(1))
        .toList();
  }

  /** A reader sees the bytes of an INT64 as floats: the first four are those of a small number. */
  static List<Integer> said(StreamReader reader) throws Throwable {
    reader.end();
    var tokens = new ArrayList<Integer>();
    while (reader.waiting() > 0) {
      tokens.add(Float.floatToRawIntBits(reader.next().getFirst()[0]));
    }
    return tokens;
  }

  static long[] prompt(int length) {
    var prompt = new long[length];
    for (int i = 0; i < length; i++) {
      prompt[i] = (length * 5L + i * 3L) % 32;
    }
    return prompt;
  }

  /** Asks for these outputs from now on. */
  void asking(String... outputs) {
    asked = List.of(outputs);
  }

  StreamReader stream(int length) {
    return stream(tokens(Shape.of(1, length), prompt(length)));
  }

  /** Writes a file by which each token is a letter. */
  static void writeVocabulary(Path folder) throws IOException {
    Files.writeString(
        folder.resolve("vocabulary.json"),
        LETTERS.chars().mapToObj(c -> "\"" + (char) c + "\"").collect(joining(",", "[", "]")));
  }

  /** Returns a text of so many tokens, those of {@link #prompt}. */
  static NamedTensor text(int length) {
    var text = new StringBuilder();
    for (long token : prompt(length)) {
      text.append(LETTERS.charAt((int) token));
    }
    return new NamedTensor("text", Tensors.texts(Shape.of(1), text.toString()));
  }

  static NamedTensor tokens(Shape shape, long... ids) {
    return new NamedTensor("input_ids", Tensors.integers(shape, ids));
  }

  StreamReader stream(NamedTensor... inputs) {
    return stream(Deadline.NONE, inputs);
  }

  StreamReader stream(Deadline deadline, NamedTensor... inputs) {
    return stream(Caller.SERVER, deadline, inputs);
  }

  StreamReader stream(Caller caller, Deadline deadline, NamedTensor... inputs) {
    return stream(caller, deadline, RequestOptions.NONE, inputs);
  }

  StreamReader stream(Deadline deadline, RequestOptions options, NamedTensor... inputs) {
    return stream(Caller.SERVER, deadline, options, inputs);
  }

  private StreamReader stream(
      Caller caller, Deadline deadline, RequestOptions options, NamedTensor... inputs) {
    var request =
        new InferenceRequest(
            lease.acquireFor(caller),
            model.metadata().signature("").orElseThrow(),
            List.of(inputs),
            asked,
            deadline,
            "r",
            options);
    return StreamReader.open(
        callerContext,
        reader -> {
          var stream =
              new ResponseStream(new OpenStreams(), StreamMeter.NONE, reader, callerContext);
          model.streams().stream(request, stream);
        });
  }

  /** Runs the prompts of streams one by one, and holds their first decode steps. */
  StreamReader[] prefilled(int... lengths) {
    session.hold();
    var readers = new StreamReader[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      readers[i] = stream(lengths[i]).ask(1);
      session.letGo(1);
      StreamReader reader = readers[i];
      Polling.await("the prompt has run", () -> reader.waiting() == 1);
    }
    return readers;
  }

  /** Holds another stream's prompt in the model, so that all that is asked for waits behind it. */
  void block() {
    block(stream(1));
  }

  /** Does so with this one. */
  void block(StreamReader stream) {
    blocker = stream.ask(1);
    session.awaitRun();
  }

  /** Has streams wait behind one that is held, asks each for so much, and lets all go. */
  void together(int responses, StreamReader... readers) {
    block();
    for (StreamReader reader : readers) {
      reader.ask(responses);
    }
    settle();
    session.open();
  }

  /** Waits until the event loop has done what it was asked for. */
  void settle() {
    var done = new CompletableFuture<Void>();
    callerContext.runOnContext(_ -> done.complete(null));
    done.join();
  }

  @Override
  public void close() {
    session.open();
    if (blocker != null) {
      blocker.leave();
      settle();
    }
    model.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
    assertThat(lease.leases()).isZero();
    assertThat(TensorMemory.openBlocks()).isEqualTo(blocksBefore);
  }
}
