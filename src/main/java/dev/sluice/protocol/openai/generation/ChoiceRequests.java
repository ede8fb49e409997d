package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the requests to a generator that one call stands for: each prompt as often as there are to
 * be answers to it, as {@link SeveralAnswers} says.
 *
 * @param model the name of the generator
 * @param prompts at least one
 * @param each answers to each prompt, at least one
 * @param said what goes to the model besides
 */
public record ChoiceRequests(String model, List<String> prompts, int each, CallParameters said) {
  /** Copies the list. */
  public ChoiceRequests {
    prompts = List.copyOf(prompts);
  }

  /**
   * Admits and makes all of them; the caller's. Fails, holding nothing, if one cannot be.
   *
   * @return those of the first prompt first
   */
  public Future<List<InferenceRequest>> make(DataPlane data, HttpExchange exchange) {
    List<ModelLease> leases = leases(data, exchange);
    long work = prompts.stream().mapToLong(String::length).sum();
    return exchange
        .compute(work, () -> requests(exchange, leases))
        .onFailure(_ -> leases.forEach(ModelLease::release));
  }

  /** Each counts as a request of its own. */
  private List<ModelLease> leases(DataPlane data, HttpExchange exchange) {
    var selector = new ModelSelector.Latest(model);
    List<ModelLease> leases = new ArrayList<>();
    try {
      for (int i = 0; i < prompts.size() * each; i++) {
        leases.add(OpenAiModels.found(data.admit(selector, exchange.caller())));
      }
      return leases;
    } catch (RuntimeException | Error e) {
      leases.forEach(ModelLease::release);
      throw e;
    }
  }

  private List<InferenceRequest> requests(HttpExchange exchange, List<ModelLease> leases) {
    List<Signature> signatures = leases.stream().map(OpenAiModels::generator).toList();
    List<NamedTensor> texts = texts();
    List<InferenceRequest> requests = new ArrayList<>(leases.size());
    for (int i = 0; i < texts.size(); i++) {
      int first = i * each;
      var request =
          new InferenceRequest(
              leases.get(first),
              signatures.get(first),
              List.of(texts.get(i)),
              GeneratorOutputs.asked(signatures.get(first)),
              exchange.deadline(),
              exchange.requestId(),
              new RequestOptions(said.priority(), SequenceStep.NONE, said.values()));
      requests.addAll(SeveralAnswers.split(request, leases.subList(first + 1, first + each)));
    }
    return requests;
  }

  private List<NamedTensor> texts() {
    List<NamedTensor> texts = new ArrayList<>(prompts.size());
    try {
      prompts.forEach(prompt -> texts.add(new NamedTensor(GeneratorOutputs.TEXT, text(prompt))));
      return texts;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(texts);
      throw e;
    }
  }

  private static Tensor text(String prompt) {
    byte[] bytes = prompt.getBytes(StandardCharsets.UTF_8);
    try (var text = new TensorBuilder(DataType.BYTES, Integer.BYTES + bytes.length)) {
      text.putBytes(bytes, 0, bytes.length);
      return text.build(Shape.of(1));
    }
  }
}
