package dev.sluice.serving;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Models;
import dev.sluice.extension.Refusal;
import dev.sluice.extension.Value;
import dev.sluice.inference.Caller;
import dev.sluice.inference.DataPlane;
import dev.sluice.inference.Deadline;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.Lookup;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.jar.CodeFailure;
import dev.sluice.runtime.jar.Values;
import dev.sluice.tensor.NamedTensor;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The server's models as own code asks them: like any caller, through the front door. */
record OwnModels(DataPlane data, Vertx vertx) implements Models {
  @Override
  public Answer infer(String model, List<Value> inputs) throws InterruptedException {
    InferenceRequest request = request(model, inputs);
    var answer = new CompletableFuture<Answer>();
    vertx.runOnContext(_ ->
        data.infer(request)
            .map(OwnModels::answer)
            .onComplete(answer::complete, answer::completeExceptionally));
    try {
      return answer.get();
    } catch (InterruptedException e) {
      request.cancel();
      throw e;
    } catch (ExecutionException e) {
      throw CodeFailure.refusal(CodeFailure.of(e.getCause() == null ? e : e.getCause()));
    }
  }

  private InferenceRequest request(String model, List<Value> inputs) {
    ModelLease lent = lend(model);
    try {
      Signature signature =
          lent.metadata()
              .signature("")
              .orElseThrow(() ->
                  Refusal.invalid("model '" + model + "' has no signature " + Signature.DEFAULT));
      List<NamedTensor> tensors = Values.tensors(inputs);
      return new InferenceRequest(lent, signature, tensors, List.of(), Deadline.NONE, "own code");
    } catch (RuntimeException | Error e) {
      lent.release();
      throw e;
    }
  }

  private ModelLease lend(String model) {
    try {
      if (data.admit(new ModelSelector.Latest(model), Caller.SERVER)
          instanceof Lookup.Found(ModelLease lent)) {
        return lent;
      }
    } catch (InferenceException e) {
      throw CodeFailure.refusal(e);
    }
    throw new Refusal(Refusal.Kind.NOT_FOUND, "model '" + model + "' takes no requests now");
  }

  private static Answer answer(InferenceResponse response) {
    try (response) {
      return new Answer(
          Values.of(response.outputs()), Map.copyOf(Values.parameters(response.parameters())));
    }
  }
}
