package dev.sluice.protocol.v1.http;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;
import dev.sluice.fuzz.SameTensors;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.kserve.http.EventAttributes;
import dev.sluice.protocol.kserve.http.KserveDialect;
import dev.sluice.protocol.tfs.http.TfsDialect;
import dev.sluice.testing.FakeExchange;
import dev.sluice.testing.FakePlanes;
import dev.sluice.testing.FakeTfsModels;
import dev.sluice.transport.Body;
import java.util.List;

/**
 * Rows and columns of TensorFlow Serving and KServe V1, in JSON; a digit for the model in front.
 */
final class V1PredictFuzz implements FuzzTarget {
  private final FakePlanes planes = FakeTfsModels.all();
  private final Predict predict =
      new Predict(planes, List.of(new TfsDialect(), new KserveDialect(EventAttributes.DEFAULT)));

  @Override
  public void accept(byte[] input) {
    var bytes = new InputBytes(input);
    String model = bytes.one("half_plus_two", "typed_io", "addsub", "opt", "counter");
    byte[] body = bytes.rest();
    InferenceRequest once = Rejection.request(() -> decode(model, body));
    InferenceRequest again = Rejection.request(() -> decode(model, body));
    SameTensors.require(once, again);
    if (planes.leases() != 0) {
      throw new AssertionError("leases are left");
    }
  }

  private InferenceRequest decode(String model, byte[] body) {
    return predict
        .decode(Body.of(body), new ModelSelector.Latest(model), new FakeExchange(), Envelope.NONE)
        .request();
  }
}
