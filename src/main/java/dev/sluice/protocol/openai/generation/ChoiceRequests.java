package dev.sluice.protocol.openai.generation;

import dev.sluice.inference.DataPlane;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.RequestOptions;
import dev.sluice.inference.SequenceStep;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import dev.sluice.tensor.TensorBuilder;
import dev.sluice.transport.http.HttpExchange;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the requests to a generator that one call stands for: each prompt as often as there are to
 * be answers to it. The answers to a prompt share its tensor. With a seed, each has one of its own,
 * that many further as it is behind the first.
 *
 * @param model the name of the generator
 * @param prompts at least one
 * @param each answers to each prompt, at least one
 * @param said what goes to the model besides
 */
public record ChoiceRequests(String model, List<String> prompts, int each, CallParameters said) {
  /** Most answers that a call may ask for. */
  public static final int MOST = 32;

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
    for (int i = 0; i < leases.size(); i++) {
      requests.add(
          new InferenceRequest(
              leases.get(i),
              signatures.get(i),
              List.of(texts.get(i)),
              GeneratorOutputs.asked(signatures.get(i)),
              exchange.deadline(),
              exchange.requestId(),
              new RequestOptions(said.priority(), SequenceStep.NONE, parameters(i % each))));
    }
    return requests;
  }

  private List<NamedTensor> texts() {
    List<NamedTensor> texts = new ArrayList<>();
    try {
      for (String prompt : prompts) {
        try (SharedTensor shared = shared(prompt)) {
          for (int i = 0; i < each; i++) {
            texts.add(new NamedTensor(GeneratorOutputs.TEXT, shared.all()));
          }
        }
      }
      return texts;
    } catch (RuntimeException | Error e) {
      NamedTensor.closeAll(texts);
      throw e;
    }
  }

  private static SharedTensor shared(String prompt) {
    byte[] bytes = prompt.getBytes(StandardCharsets.UTF_8);
    try (var text = new TensorBuilder(DataType.BYTES, Integer.BYTES + bytes.length)) {
      text.putBytes(bytes, 0, bytes.length);
      return new SharedTensor(text.build(Shape.of(1)));
    }
  }

  /** Returns the parameters of one of the answers to a prompt. */
  private Map<String, ParameterValue> parameters(int answer) {
    Map<String, ParameterValue> parameters = said.values();
    if (answer > 0
        && parameters.get("seed") instanceof ParameterValue.Whole(long seed, boolean unsigned)) {
      var others = new HashMap<>(parameters);
      others.put("seed", new ParameterValue.Whole(seed + answer, unsigned));
      return others;
    }
    return parameters;
  }
}
