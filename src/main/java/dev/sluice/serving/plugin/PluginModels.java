package dev.sluice.serving.plugin;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Models;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Value;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.runtime.plugin.PluginFailure;
import dev.sluice.runtime.plugin.PluginValues;
import dev.sluice.scheduling.deadline.CallerContexts;
import dev.sluice.tensor.NamedTensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The server's models as plugins call them: through the data plane, like any caller.
 *
 * <p>Blocks the plugin's thread, never an event loop.
 */
public record PluginModels(DataPlane data, CallerContexts contexts) implements Models {
  @Override
  public Answer infer(String model, List<Value> inputs, Map<String, Object> parameters)
      throws InterruptedException {
    InferenceRequest request = request(model, inputs, parameters);
    var answer = new CompletableFuture<Answer>();
    contexts
        .vertx()
        .runOnContext(_ ->
            data.infer(request)
                .map(PluginModels::answer)
                .onComplete(answer::complete, answer::completeExceptionally));
    try {
      return answer.get();
    } catch (InterruptedException e) {
      request.cancel();
      throw e;
    } catch (ExecutionException e) {
      throw PluginFailure.refusal(PluginFailure.of(e.getCause() == null ? e : e.getCause()));
    }
  }

  @Override
  public void stream(
      String model, List<Value> inputs, Map<String, Object> parameters, Reader reader)
      throws Exception {
    var stream = new AskedStream();
    stream.ask(contexts, data, request(model, inputs, parameters));
    stream.read(reader);
  }

  private InferenceRequest request(
      String model, List<Value> inputs, Map<String, Object> parameters) {
    try {
      var options = new RequestOptions(0, SequenceStep.NONE, PluginValues.ofPlain(parameters));
      return acquire(model).handOver(lease -> request(lease, inputs, options));
    } catch (InferenceException e) {
      throw PluginFailure.refusal(e);
    }
  }

  private static InferenceRequest request(
      ModelLease lease, List<Value> inputs, RequestOptions options) {
    Signature signature =
        lease
            .metadata()
            .signature("")
            .orElseThrow(() ->
                Refusal.invalid(
                    "model '%s' has no signature %s"
                        .formatted(lease.id().name(), Signature.DEFAULT)));
    List<NamedTensor> tensors = PluginValues.tensors(inputs);
    return new InferenceRequest(
        lease, signature, tensors, List.of(), Deadline.NONE, "own code", options);
  }

  private ModelLease acquire(String model) {
    if (data.admit(new ModelSelector.Latest(model), Caller.SERVER)
        instanceof ModelLookup.Found(ModelLease lease)) {
      return lease;
    }
    throw new Refusal(Refusal.Kind.NOT_FOUND, "model '" + model + "' takes no requests now");
  }

  /** Returns a copy of a response, which it closes. */
  static Answer answer(InferenceResponse response) {
    try (response) {
      return new Answer(
          PluginValues.of(response.outputs()),
          Map.copyOf(PluginValues.parameters(response.parameters())));
    }
  }
}
