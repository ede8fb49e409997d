package dev.sluice.protocol.tfs.grpc.wire;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;

/**
 * A ModelSpec that names a model.
 *
 * @param selector which version of which model
 * @param signature the name of the signature; empty for the default
 */
public record RequestedModel(ModelSelector selector, String signature) {
  public RequestedModel {
    if (selector.name().isEmpty()) {
      throw InferenceException.invalid("ModelSpec has no name specified.");
    }
  }

  public static RequestedModel of(ModelSpec spec) {
    String name = spec.getName();
    ModelSelector selector =
        switch (spec.getVersionChoiceCase()) {
          case VERSION -> new ModelSelector.Version(name, spec.getVersion().getValue());
          case VERSION_LABEL -> new ModelSelector.Label(name, spec.getVersionLabel());
          case VERSIONCHOICE_NOT_SET -> new ModelSelector.Latest(name);
        };
    return new RequestedModel(selector, spec.getSignatureName());
  }

  public static InferenceException missing() {
    return InferenceException.invalid("Missing ModelSpec");
  }
}
