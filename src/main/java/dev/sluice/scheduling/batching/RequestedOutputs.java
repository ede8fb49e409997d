package dev.sluice.scheduling.batching;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.inference.Signature;
import dev.sluice.scheduling.queue.PendingRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.TensorSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Selects the outputs that a run computes, and those of them that each request gets, in its own
 * order.
 */
final class RequestedOutputs {
  private RequestedOutputs() {}

  /** Returns the outputs that at least one of the requests wants. */
  static List<TensorSpec> of(List<PendingRequest> members) {
    InferenceRequest first = members.getFirst().request();
    for (int i = 1; i < members.size(); i++) {
      if (!members.get(i).request().outputs().equals(first.outputs())) {
        return union(first.signature(), members);
      }
    }
    return named(first.signature(), first.outputs());
  }

  private static List<TensorSpec> named(Signature signature, List<String> names) {
    if (names.isEmpty()) {
      return signature.supportedOutputs();
    }
    var specs = new ArrayList<TensorSpec>(names.size());
    for (String name : names) {
      specs.add(signature.output(name).orElseThrow());
    }
    return specs;
  }

  private static List<TensorSpec> union(Signature signature, List<PendingRequest> members) {
    var specs = new ArrayList<TensorSpec>();
    for (TensorSpec spec : signature.outputs()) {
      if (wanted(members, spec.name())) {
        specs.add(spec);
      }
    }
    return specs;
  }

  private static boolean wanted(List<PendingRequest> members, String name) {
    for (int i = 0; i < members.size(); i++) {
      if (wants(members.get(i).request(), name)) {
        return true;
      }
    }
    return false;
  }

  static boolean wants(InferenceRequest request, String name) {
    return request.outputs().isEmpty()
        ? isUsual(request.signature().supportedOutputs(), name)
        : request.outputs().contains(name);
  }

  private static boolean isUsual(List<TensorSpec> usual, String name) {
    for (int i = 0; i < usual.size(); i++) {
      if (usual.get(i).name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the request's own outputs, all there, in the order that it asked for. */
  static List<NamedTensor> inOrder(InferenceRequest request, List<NamedTensor> outputs) {
    List<String> names = request.outputs();
    if (names.isEmpty() || isInOrder(names, outputs)) {
      return outputs;
    }
    var ordered = new ArrayList<NamedTensor>(names.size());
    for (String name : names) {
      ordered.add(find(outputs, name));
    }
    return ordered;
  }

  private static boolean isInOrder(List<String> names, List<NamedTensor> outputs) {
    for (int i = 0; i < outputs.size(); i++) {
      if (!outputs.get(i).name().equals(names.get(i))) {
        return false;
      }
    }
    return true;
  }

  private static NamedTensor find(List<NamedTensor> outputs, String name) {
    for (NamedTensor output : outputs) {
      if (output.name().equals(name)) {
        return output;
      }
    }
    throw new IllegalStateException("the run has left out output " + name);
  }
}
