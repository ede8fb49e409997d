package dev.sluice.protocol.oip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.ModelLookup;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.inference.Signature;
import dev.sluice.inference.VersionState;
import dev.sluice.inference.access.Caller;
import dev.sluice.testing.FakePlanes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OipModelsTest {
  @Test
  void failedVersionIsUnavailableAndSaysWhy() {
    var miss = new ModelLookup.NotReady("m", 1, VersionState.END, "no such operator");
    assertMiss(
        miss,
        ErrorCode.UNAVAILABLE,
        "Request for unknown model: 'm' version 1 is not at ready state: no such operator");
  }

  @Test
  void modelWithoutAnyVersionIsNotFound() {
    assertMiss(
        new ModelLookup.NotReady("m", -1, VersionState.END, ""),
        ErrorCode.NOT_FOUND,
        "Request for unknown model: 'm' has no available versions");
  }

  @Test
  void modelThatIsStillLoadingIsUnavailable() {
    assertMiss(
        new ModelLookup.NotReady("m", -1, VersionState.LOADING, ""),
        ErrorCode.UNAVAILABLE,
        "Request for unknown model: 'm' has no available versions");
  }

  private static void assertMiss(ModelLookup miss, ErrorCode code, String text) {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> OipModels.found(miss))
        .withMessage(text)
        .extracting(InferenceException::code)
        .isEqualTo(code);
  }

  @Test
  void onlySignatureNeedsNoName() {
    assertThat(OipModels.signature(model("predict"), "").name()).isEqualTo("predict");
  }

  @Test
  void servingDefaultIsMeantAmongSeveral() {
    ModelLease model = model("classify", Signature.DEFAULT);
    assertThat(OipModels.signature(model, "").name()).isEqualTo(Signature.DEFAULT);
    assertThat(OipModels.signature(model, "classify").name()).isEqualTo("classify");
  }

  @Test
  void severalSignaturesWithoutADefaultMustBeNamed() {
    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> OipModels.signature(model("a", "b"), ""))
        .withMessage(
            "model 'm' has no default signature. Name one of [a, b] in the request parameter"
                + " 'signature_name'.");
  }

  private static ModelLease model(String... names) {
    Map<String, Signature> signatures = new LinkedHashMap<>();
    for (String name : names) {
      signatures.put(name, new Signature(name, "", List.of(), List.of()));
    }
    var metadata = new ModelMetadata("tensorflow_savedmodel", signatures, false, 0);
    var planes = new FakePlanes().serve("m", 1, metadata, _ -> List.of());
    return OipModels.admit(planes, new ModelSelector.Latest("m"), Caller.SERVER);
  }
}
