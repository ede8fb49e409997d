package dev.sluice.protocol.v1.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.access.Caller;
import dev.sluice.inference.explain.ExplainParameters;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.transport.Body;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of requests for explanations; a digit for the model in front. What is read is the same
 * each time.
 */
final class ExplainParametersFuzz implements FuzzTarget {
  private final FakePlanes planes = FakeTfsModels.all();

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    ModelMetadata model = model(bytes.one("half_plus_two", "typed_io", "opt", "counter"));
    byte[] body = bytes.rest();
    requireSame(read(body, model), read(body, model));
  }

  private ModelMetadata model(String name) {
    return switch (planes.admit(new ModelSelector.Latest(name), Caller.SERVER)) {
      case ModelLookup.Found(var lease) -> lease.read(ModelLease::metadata);
      case ModelLookup.Missed missed -> throw new AssertionError(missed);
    };
  }

  private static @Nullable ExplainParameters read(byte[] body, ModelMetadata model) {
    PredictDocument document =
        Rejection.part(JsonException.class, () -> PredictDocument.read(Body.of(body)));
    return document == null
        ? null
        : Rejection.request(
            () -> ExplainParametersReader.read(document, document.signature(model)));
  }

  private static void requireSame(
      @Nullable ExplainParameters one, @Nullable ExplainParameters other) {
    try (one;
        other) {
      if (one != null && other != null) {
        SameTensors.require(baseline(one), baseline(other));
      }
      if (!others(one).equals(others(other))) {
        throw new AssertionError(one + " differs from its copy's: " + other);
      }
    }
  }

  private static List<NamedTensor> baseline(ExplainParameters parameters) {
    return parameters.baseline() == null
        ? List.of()
        : List.of(new NamedTensor("baseline", parameters.baseline()));
  }

  private static List<Object> others(@Nullable ExplainParameters all) {
    return all == null ? List.of() : List.of(all.samples(), all.seed(), all.output(), all.column());
  }
}
