package dev.sluice.serving.explain;

import dev.sluice.config.model.ExplainConfig;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.inference.explain.Explanation;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request for explanations: predicts the instances, then the baseline, then the rows between
 * them, a chunk at a time, through the pipeline of all requests, where they may be joined with
 * others and wait behind those of higher priority.
 *
 * <p>Shapley values by permutation sampling (Castro et al., 2009) with antithetic pairs (Mitchell
 * et al., 2022): on the way from the baseline to the instance each element is credited with the
 * change of the prediction when it is switched. The credits of one way add up to the whole change,
 * so the scores do too.
 *
 * <p>Owner: borrows the request, its model and the parameters; owns the requests that it makes.
 */
public final class ShapleyRun {
  /** Bytes of rows in one chunk: what an event loop writes in a fraction of a millisecond. */
  private static final long CHUNK_BYTES = 1 << 20;

  private final DataPlane data;
  private final InferenceRequest request;
  private final ModelLease model;
  private final ExplainParameters parameters;
  private final ExplainPlan plan;
  private final Instances instances;
  private final BaselineRows baseline;
  private final int samples;
  private final int chunk;
  private final String output;
  private @Nullable InferenceRequest current;

  /**
   * @param data where rows are asked
   * @param request what is to be explained
   * @param model the request's, for each of the requests made here: giving it back does nothing
   * @throws InferenceException if it cannot be explained, or would cost more than the settings
   *     allow
   */
  public ShapleyRun(
      DataPlane data,
      InferenceRequest request,
      ModelLease model,
      ExplainParameters parameters,
      ExplainPlan plan) {
    this.data = data;
    this.request = request;
    this.model = model;
    this.parameters = parameters;
    this.plan = plan;
    this.instances = Instances.of(request);
    this.output = Target.output(request.signature(), parameters.output());
    this.baseline = baseline();
    this.samples = samples();
    this.chunk = chunk();
    requireAffordable();
  }

  private BaselineRows baseline() {
    Tensor given = parameters.baseline();
    if (given == null) {
      return plan.baseline(instances.spec().type(), instances.elements());
    }
    if (!given.shape().equals(instances.rowShape().prepend(1))) {
      throw InferenceException.invalid(
          "the baseline has shape %s, an instance %s"
              .formatted(given.shape(), instances.rowShape().prepend(1)));
    }
    return BaselineRows.of(given);
  }

  /**
   * Returns the number of samples: every row of the baseline is used equally often, so that the
   * scores add up exactly.
   */
  private int samples() {
    ExplainConfig config = plan.config();
    int wanted = parameters.samples().orElse(config.samples());
    if (wanted < ExplainConfig.FEWEST_SAMPLES || wanted > config.maxSamples()) {
      throw InferenceException.invalid(
          "samples is %d; wanted %d to %d (setting explain.max_samples)"
              .formatted(wanted, ExplainConfig.FEWEST_SAMPLES, config.maxSamples()));
    }
    return Math.ceilDiv(wanted, baseline.rows()) * baseline.rows();
  }

  private int chunk() {
    if (instances.oneByOne()) {
      return 1;
    }
    int largest = model.metadata().maxBatchSize();
    long most = Math.max(1, CHUNK_BYTES / instances.rowBytes());
    most = Math.min(most, plan.config().batchSize());
    return (int) (largest > 0 ? Math.min(most, largest) : most);
  }

  private void requireAffordable() {
    long between = Math.max(1, 2L * (instances.elements() - 1));
    long rows = instances.count() * (samples * between + 1) + baseline.rows();
    if (rows > plan.config().maxRows()) {
      throw InferenceException.invalid(
          ("explaining %d instances of %d elements with %d samples asks the model about %d rows, at"
                  + " most %d are allowed (setting explain.max_rows); send fewer instances, or ask"
                  + " for fewer samples")
              .formatted(
                  instances.count(), instances.elements(), samples, rows, plan.config().maxRows()));
    }
  }

  /**
   * Does it, later, on this event loop.
   *
   * @param predictions where the instances themselves are asked
   */
  public Future<Explanation> start(DataPlane predictions) {
    request.onCancel(this::cancelCurrent);
    return ask(predictions, wholeInput(), List.of()).compose(this::explain);
  }

  private void cancelCurrent() {
    if (current != null) {
      current.cancel();
    }
  }

  private Tensor wholeInput() {
    Tensor copy = Tensor.allocate(instances.spec().type(), instances.tensor().shape());
    copy.data().copyFrom(instances.tensor().data());
    return copy;
  }

  private Future<InferenceResponse> ask(DataPlane plane, Tensor rows, List<String> outputs) {
    var next =
        new InferenceRequest(
            model,
            request.signature(),
            List.of(new NamedTensor(instances.spec().name(), rows)),
            outputs,
            request.deadline(),
            request.requestId(),
            RequestOptions.ofPriority(plan.lowestPriority()));
    next.countsFor(request);
    current = next;
    if (request.isCancelled()) {
      next.close();
      return Future.failedFuture(
          new InferenceException(ErrorCode.CANCELLED, "the caller left before the explanation"));
    }
    return plane.infer(next);
  }

  private Future<Explanation> explain(InferenceResponse predictions) {
    try {
      Target target = Target.choose(predictions, output, instances.count(), parameters);
      var ends = new BaselinePredictionRows(baseline, target, instances.count());
      return askAll(ends)
          .compose(_ -> {
            var seed = parameters.seed().orElse(plan.config().seed());
            var paths = new PathPredictionRows(instances, baseline, target, ends, samples, seed);
            return askAll(paths).map(_ -> explanation(predictions, paths));
          })
          .onFailure(_ -> predictions.close());
    } catch (RuntimeException e) {
      predictions.close();
      return Future.failedFuture(e);
    }
  }

  private Explanation explanation(InferenceResponse predictions, PathPredictionRows paths) {
    return new Explanation(predictions, instances.rowShape(), samples, paths.attributions());
  }

  private Future<Void> askAll(PredictionRows questions) {
    Promise<Void> done = Promise.promise();
    askOn(questions, done);
    return done.future();
  }

  /** Continues in a loop rather than by recursion, however soon the answers come. */
  private void askOn(PredictionRows questions, Promise<Void> done) {
    while (questions.hasNext()) {
      Chunk asked = write(questions);
      Future<InferenceResponse> answer = ask(data, asked.rows, List.of(output));
      if (!answer.isComplete()) {
        answer.onComplete(result -> {
          if (take(result, asked, questions, done)) {
            askOn(questions, done);
          }
        });
        return;
      }
      if (!take(answer, asked, questions, done)) {
        return;
      }
    }
    done.complete();
  }

  /** Rows that are asked together. */
  private record Chunk(Tensor rows, int count) {}

  private Chunk write(PredictionRows questions) {
    Shape row = instances.rowShape();
    long bytes = instances.rowBytes();
    Tensor rows = Tensor.allocate(instances.spec().type(), row.prepend(chunk));
    int count = 0;
    while (count < chunk && questions.hasNext()) {
      questions.write(rows.data().asSlice(count * bytes, bytes));
      count++;
    }
    return new Chunk(count == chunk ? rows : first(rows, count), count);
  }

  private Tensor first(Tensor rows, int count) {
    try (rows) {
      Tensor fewer = Tensor.allocate(instances.spec().type(), instances.rowShape().prepend(count));
      fewer.data().copyFrom(rows.data().asSlice(0, fewer.byteSize()));
      return fewer;
    }
  }

  private boolean take(
      AsyncResult<InferenceResponse> result,
      Chunk asked,
      PredictionRows questions,
      Promise<Void> done) {
    if (result.failed()) {
      done.fail(result.cause());
      return false;
    }
    try (InferenceResponse response = result.result()) {
      Tensor answers = Target.find(response, output);
      int width = Target.width(answers, output, asked.count);
      for (int row = 0; row < asked.count; row++) {
        questions.answered(answers, row, width);
      }
      return true;
    } catch (RuntimeException e) {
      done.fail(e);
      return false;
    }
  }
}
