package dev.sluice.serving.plugin;

import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.runtime.plugin.PluginValues;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A request as a plugin sees it: all copied, so that it outlives the request.
 *
 * <p>Heap arrays only: a plugin that keeps a value beyond the call keeps no native memory.
 */
public record PluginRequest(
    String id,
    List<Value> inputs,
    Map<String, Object> parameters,
    List<String> outputs,
    BooleanSupplier over)
    implements Request {
  public static PluginRequest of(InferenceRequest request, PluginCall<?> call) {
    return of(request, call::isOver);
  }

  /**
   * Returns a request to be answered.
   *
   * @param over whether it is abandoned, or its call has ended
   */
  static PluginRequest of(InferenceRequest request, BooleanSupplier over) {
    return new PluginRequest(
        request.requestId(),
        List.copyOf(PluginValues.of(request.inputs())),
        Map.copyOf(PluginValues.parameters(request.options().parameters())),
        request.outputs(),
        over);
  }

  /** Returns the same request in a later call. */
  public PluginRequest during(PluginCall<?> later) {
    return new PluginRequest(id, inputs, parameters, outputs, later::isOver);
  }

  @Override
  public boolean isCancelled() {
    return over.getAsBoolean();
  }
}
