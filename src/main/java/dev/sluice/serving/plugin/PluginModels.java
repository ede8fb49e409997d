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
import dev.sluice.inference.Signature;
import dev.sluice.inference.access.Caller;
import dev.sluice.runtime.plugin.PluginFailure;
import dev.sluice.runtime.plugin.PluginValues;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The server's models as plugins call them: through the data plane, like any caller.
 *
 * <p>Blocks the plugin's thread, never an event loop.
 */
public record PluginModels(DataPlane data, Vertx vertx) implements Models {
  @Override
  public Answer infer(String model, List<Value> inputs) throws InterruptedException {
    InferenceRequest request = request(model, inputs);
    var answer = new CompletableFuture<Answer>();
    vertx.runOnContext(_ ->
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

  private InferenceRequest request(String model, List<Value> inputs) {
    return acquire(model)
        .handOver(lease -> {
          Signature signature =
              lease
                  .metadata()
                  .signature("")
                  .orElseThrow(() ->
                      Refusal.invalid(
                          "model '" + model + "' has no signature " + Signature.DEFAULT));
          List<NamedTensor> tensors = PluginValues.tensors(inputs);
          return new InferenceRequest(
              lease, signature, tensors, List.of(), Deadline.NONE, "own code");
        });
  }

  private ModelLease acquire(String model) {
    try {
      if (data.admit(new ModelSelector.Latest(model), Caller.SERVER)
          instanceof ModelLookup.Found(ModelLease lease)) {
        return lease;
      }
    } catch (InferenceException e) {
      throw PluginFailure.refusal(e);
    }
    throw new Refusal(Refusal.Kind.NOT_FOUND, "model '" + model + "' takes no requests now");
  }

  private static Answer answer(InferenceResponse response) {
    try (response) {
      return new Answer(
          PluginValues.of(response.outputs()),
          Map.copyOf(PluginValues.parameters(response.parameters())));
    }
  }
}
