package dev.sluice.serving.plugin;

import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.runtime.plugin.PluginCall;
import dev.sluice.runtime.plugin.PluginValues;
import java.util.List;
import java.util.Map;

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
    PluginCall<?> call)
    implements Request {
  public static PluginRequest of(InferenceRequest request, PluginCall<?> call) {
    return new PluginRequest(
        request.requestId(),
        List.copyOf(PluginValues.of(request.inputs())),
        Map.copyOf(PluginValues.parameters(request.options().parameters())),
        request.outputs(),
        call);
  }

  /** Returns the same request in a later call. */
  public PluginRequest during(PluginCall<?> later) {
    return new PluginRequest(id, inputs, parameters, outputs, later);
  }

  @Override
  public boolean isCancelled() {
    return call.isOver();
  }
}
