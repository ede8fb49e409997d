package dev.sluice.protocol.tfs.grpc;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelMetadata;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.codec.protobuf.ProtobufException;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.ExampleTasks;
import dev.sluice.protocol.tfs.ExampleTasksBuilder;
import dev.sluice.protocol.tfs.grpc.proto.InferenceTask;
import dev.sluice.protocol.tfs.grpc.proto.MultiInferenceRequest;
import dev.sluice.protocol.tfs.grpc.wire.ExampleList;
import dev.sluice.protocol.tfs.grpc.wire.ModelSpecReader;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;

/**
 * A MultiInferenceRequest. The first task's spec alone says which version is asked.
 *
 * <p>All tasks run in one call of the model where their signatures have the same input.
 */
final class MultiInferenceTasks {
  private static final int TASKS = MultiInferenceRequest.TASKS_FIELD_NUMBER << 3 | DELIMITED;
  private static final int INPUT = MultiInferenceRequest.INPUT_FIELD_NUMBER << 3 | DELIMITED;
  private static final int MODEL_SPEC = InferenceTask.MODEL_SPEC_FIELD_NUMBER << 3 | DELIMITED;
  private static final int METHOD_NAME = InferenceTask.METHOD_NAME_FIELD_NUMBER << 3 | DELIMITED;

  private record One(ModelSpecReader spec, String method) {}

  private final List<One> all = new ArrayList<>();
  private final ExampleList examples = new ExampleList();

  private MultiInferenceTasks() {}

  /**
   * Reads a message.
   *
   * @throws InferenceException with INVALID_ARGUMENT if it is none
   */
  static MultiInferenceTasks read(Body message) {
    var tasks = new MultiInferenceTasks();
    try {
      var reader = new ProtobufReader(message);
      for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
        switch (tag) {
          case TASKS -> {
            TfsRequestChecks.requireCapacity("tasks", tasks.all.size());
            tasks.all.add(one(reader.bytes()));
          }
          case INPUT -> tasks.examples.add(reader.bytes());
          default -> reader.skip(tag);
        }
      }
    } catch (ProtobufException e) {
      throw InferenceException.invalid(
          "the message is not a MultiInferenceRequest: " + e.getMessage());
    }
    return tasks;
  }

  private static One one(Body task) {
    var spec = new ModelSpecReader();
    String method = "";
    var reader = new ProtobufReader(task);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case MODEL_SPEC -> spec.add(reader.bytes());
        case METHOD_NAME -> method = reader.text();
        default -> reader.skip(tag);
      }
    }
    return new One(spec, method);
  }

  /**
   * Returns the model that all tasks ask.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the first task names none
   */
  ModelSelector model() {
    if (all.isEmpty() || all.getFirst().spec().name().isEmpty()) {
      throw InferenceException.invalid("ModelSpec has no name specified.");
    }
    return all.getFirst().spec().get().selector();
  }

  ExampleList examples() {
    return examples;
  }

  /**
   * Returns the tasks, for a model that they ask.
   *
   * @throws InferenceException if another model is asked too, or the model cannot do one of them
   */
  ExampleTasks inquiry(ModelMetadata model) {
    String name = model().name();
    var inquiries = new ExampleTasksBuilder(model);
    for (One task : all) {
      if (task.spec().name().isEmpty()) {
        throw InferenceException.invalid("Found ModelSpec with an empty model name.");
      }
      if (!task.spec().name().equals(name)) {
        throw InferenceException.invalid(
            "All ModelSpecs in a MultiInferenceRequest must access the same model name.");
      }
      inquiries.add(task.spec().signature(), task.method());
    }
    return inquiries.toInquiry();
  }
}
