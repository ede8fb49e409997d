package dev.sluice.serving;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.PluginHttpCall;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.access.Operation;
import dev.sluice.repository.LiveVersion;
import dev.sluice.repository.ModelRepository;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.scheduling.deadline.DeadlineWheels;
import dev.sluice.scheduling.generator.Generator;
import dev.sluice.scheduling.stream.QueuedStreams;
import dev.sluice.serving.answers.AnswerRows;
import dev.sluice.serving.answers.MergedAnswers;
import dev.sluice.serving.answers.WholeText;
import dev.sluice.serving.plugin.PluginPaths;
import dev.sluice.serving.stream.OpenStreams;
import dev.sluice.serving.stream.ResponseStream;
import dev.sluice.serving.stream.StreamMeter;
import dev.sluice.telemetry.meter.FailureReason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.function.LongSupplier;

/**
 * Pipeline of a request, one step per line: authorise, find, admit, check, schedule.
 *
 * <p>Threads: event loops; nothing here blocks, and every future completes on the caller's event
 * loop. A lease is acquired before the body is decoded, and released by closing the request, on
 * every path. Errors are {@code InferenceException}s with a code; protocols map them.
 */
public final class InferencePipeline implements DataPlane {
  private final ModelRepository repository;
  private final PluginPaths paths;
  private final DeadlineWheels deadlines;
  private final LongSupplier nanoTime;
  private final OpenStreams open = new OpenStreams();

  /**
   * @param paths where plugins of models answer
   * @param nanoTime the clock of deadlines
   */
  public InferencePipeline(
      ModelRepository repository,
      PluginPaths paths,
      CallerContexts contexts,
      LongSupplier nanoTime) {
    this.repository = repository;
    this.paths = paths;
    this.deadlines = new DeadlineWheels(contexts, nanoTime);
    this.nanoTime = nanoTime;
  }

  @Override
  public ModelLookup find(ModelSelector selector, Caller caller, Operation operation) {
    caller.require(operation, selector.name());
    return repository.find(selector);
  }

  @Override
  public ModelLookup admit(ModelSelector selector, Caller caller) {
    caller.require(Operation.INFER, selector.name());
    ModelLookup lookup = repository.find(selector);
    if (!(lookup instanceof ModelLookup.Found(LiveVersion live))) {
      return lookup;
    }
    try {
      return new ModelLookup.Found(AdmittedLease.admit(live, caller));
    } catch (InferenceException e) {
      live.release();
      throw e;
    }
  }

  @Override
  public Future<InferenceResponse> infer(InferenceRequest request) {
    return request.model().metadata().whole() ? inferWhole(request) : inferOnce(request);
  }

  private Future<InferenceResponse> inferOnce(InferenceRequest request) {
    Servable model = servable(request.model());
    try {
      RequestValidator.require(request);
      RequestValidator.requireOneAnswer(request);
    } catch (InferenceException e) {
      return refused(request, e);
    }
    return request.deadline().exists()
        ? DeadlineResponse.of(request, model.scheduler(), callerContext(), deadlines, nanoTime)
        : model.scheduler().submit(request);
  }

  /** Puts the answer together of a stream, or of one for each answer that is asked for. */
  private Future<InferenceResponse> inferWhole(InferenceRequest request) {
    List<InferenceRequest> answers;
    try {
      answers = answers(request, wanted(request));
    } catch (InferenceException e) {
      return refused(request, e);
    }
    if (answers.size() > 1) {
      return inferAll(answers).map(AnswerRows::join);
    }
    if (!servable(request.model()).joinsStream()) {
      releasePermit(request.model());
      return inferOnce(request);
    }
    var whole = new WholeText();
    inferStream(request, whole);
    return whole.response();
  }

  /**
   * Returns a request for each answer that is wanted: these have taken the request over, or there
   * is only itself.
   *
   * @throws InferenceException with RESOURCE_EXHAUSTED if there are no permits for so many; the
   *     request stays the caller's
   */
  private static List<InferenceRequest> answers(InferenceRequest request, int wanted) {
    if (wanted == 1) {
      return List.of(request);
    }
    List<ModelLease> further = new ArrayList<>(wanted - 1);
    try {
      while (further.size() < wanted - 1) {
        further.add(AdmittedLease.admitAgain(request.model()));
      }
    } catch (InferenceException e) {
      further.forEach(ModelLease::release);
      throw e;
    }
    return SeveralAnswers.split(request, further);
  }

  /**
   * Returns how many answers a request asks for.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the model cannot give so many
   */
  private static int wanted(InferenceRequest request) {
    ModelMetadata model = request.model().metadata();
    if (model.whole()) {
      return Generator.answers(request);
    }
    if (model.parameters().contains(SeveralAnswers.PARAMETER)) {
      // An ensemble passes it on to members, whose answers it could not tell apart.
      Generator.requireOneAnswer(request);
    }
    return 1;
  }

  private static Future<InferenceResponse> refused(InferenceRequest request, InferenceException e) {
    servable(request.model()).meter().refused(FailureReason.OTHER);
    request.close();
    return Future.failedFuture(e);
  }

  @Override
  public void inferStream(
      InferenceRequest request, Flow.Subscriber<? super InferenceResponse> subscriber) {
    Servable model = servable(request.model());
    // Before the request is split, since its runs are to add their times up there.
    StreamMeter meter = model.streamMeter(request);
    List<InferenceRequest> answers;
    try {
      RequestValidator.require(request);
      int wanted = wanted(request);
      MergedAnswers.requireIndex(request, wanted);
      answers = answers(request, wanted);
    } catch (InferenceException e) {
      model.meter().refused(FailureReason.OTHER);
      QueuedStreams.refuse(request, subscriber, e);
      return;
    }
    answers.forEach(answer -> releasePermit(answer.model()));
    var stream = new ResponseStream(open, meter, subscriber, callerContext());
    if (answers.size() == 1) {
      model.streams().stream(request, stream);
    } else {
      new MergedAnswers(stream, answers).start(model.streams());
    }
  }

  /** What goes on for as long as its reader likes holds none. */
  private static void releasePermit(ModelLease model) {
    if (model instanceof AdmittedLease admitted) {
      admitted.releasePermit();
    }
  }

  /** Returns the caller's event loop. */
  private static Context callerContext() {
    return Objects.requireNonNull(Vertx.currentContext(), "models are asked on event loops");
  }

  /**
   * Ends what is still under way, in the words of its protocol: streams, HTTP calls of a plugin,
   * and requests whose runs have not ended. Any thread.
   */
  public void giveUp() {
    open.stop();
    repository.loaded().forEach(model -> model.giveUp("the server is stopping"));
  }

  /** Returns how many streams, and HTTP calls of plugins, are open. Any thread. */
  public int openStreams() {
    return open.count();
  }

  @Override
  public Optional<String> modelAt(String path) {
    return paths.modelAt(path);
  }

  @Override
  public void handle(ModelLease model, PluginHttpCall call) {
    releasePermit(model);
    servable(model)
        .handler()
        .ifPresentOrElse(
            handler -> handler.handle(model, call, open),
            () -> {
              model.release();
              call.fail(
                  new InferenceException(
                      ErrorCode.UNIMPLEMENTED,
                      "model '" + model.id().name() + "' has no code that answers HTTP requests"));
            });
  }

  /**
   * Returns the loaded servable: every lease comes from the repository, and the loader puts nothing
   * else into it.
   */
  static Servable servable(ModelLease lease) {
    return switch (lease) {
      case AdmittedLease admitted -> (Servable) admitted.live().loaded();
      case NonOwningLease shared -> servable(shared.lease());
      default -> (Servable) ((LiveVersion) lease).loaded();
    };
  }
}
