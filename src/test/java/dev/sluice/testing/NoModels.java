package dev.sluice.testing;

import dev.sluice.extension.Answer;
import dev.sluice.extension.Models;
import dev.sluice.extension.Value;
import java.util.List;
import java.util.Map;

/** The models of a plugin that asks none. */
public record NoModels() implements Models {
  @Override
  public Answer infer(String model, List<Value> inputs, Map<String, Object> parameters) {
    throw new AssertionError("asked unexpectedly");
  }

  @Override
  public void stream(
      String model, List<Value> inputs, Map<String, Object> parameters, Reader reader) {
    throw new AssertionError("asked unexpectedly");
  }
}
