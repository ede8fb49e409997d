package dev.sluice.serving;

import dev.sluice.extension.Request;
import dev.sluice.extension.Value;
import dev.sluice.inference.InferenceRequest;
import dev.sluice.runtime.jar.CodeCall;
import dev.sluice.runtime.jar.Values;
import java.util.List;
import java.util.Map;

/** A request as own code sees it: all copied, so that it stays good when the request is gone. */
record CodeRequest(
    String id,
    List<Value> inputs,
    Map<String, Object> parameters,
    List<String> outputs,
    CodeCall<?> call)
    implements Request {
  static CodeRequest of(InferenceRequest request, CodeCall<?> call) {
    return new CodeRequest(
        request.requestId(),
        List.copyOf(Values.of(request.inputs())),
        Map.copyOf(Values.parameters(request.options().parameters())),
        request.outputs(),
        call);
  }

  /** The same request in a later call. */
  CodeRequest during(CodeCall<?> later) {
    return new CodeRequest(id, inputs, parameters, outputs, later);
  }

  @Override
  public boolean isCancelled() {
    return call.isOver();
  }
}
