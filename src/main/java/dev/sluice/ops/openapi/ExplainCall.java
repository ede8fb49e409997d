package dev.sluice.ops.openapi;

import dev.sluice.inference.Signature;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;

/** Explanation of predictions, as KServe has it: what is asked of it is a prediction of rows. */
final class ExplainCall implements ModelCall {
  private final ModelCall predict = new PredictCall();

  @Override
  public boolean fits(DescribedVersion version) {
    return predict.fits(version)
        && version.metadata().signature("").filter(ExplainCall::isNumeric).isPresent();
  }

  private static boolean isNumeric(Signature signature) {
    return PredictCall.hasRows(signature)
        && signature.inputs().size() == 1
        && signature.inputs().stream().allMatch(ExplainCall::isFloat)
        && signature.outputs().stream().anyMatch(ExplainCall::isFloat);
  }

  private static boolean isFloat(TensorSpec tensor) {
    return tensor.type().isFloat();
  }

  @Override
  public String name() {
    return "Explain";
  }

  @Override
  public JsonObject request(DescribedVersion version, DescribedListener listener) {
    return predict.request(version, listener);
  }

  @Override
  public JsonObject response(DescribedVersion version, DescribedListener listener) {
    var list = new JsonObject().put("type", "array");
    return new JsonObject()
        .put("type", "object")
        .put("required", new JsonArray(List.of("predictions", "explanations")))
        .put(
            "properties",
            new JsonObject().put("predictions", list).put("explanations", list.copy()));
  }

  @Override
  public Optional<JsonObject> example(DescribedVersion version) {
    return predict.example(version);
  }
}
