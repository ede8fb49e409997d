package dev.sluice.protocol.tfs;

import java.util.Optional;

/** The task of a request with examples. */
public enum ExampleTask {
  /** The classes of each example */
  CLASSIFY("tensorflow/serving/classify", "classify", "classification"),
  /** The value of each example */
  REGRESS("tensorflow/serving/regress", "regress", "regression");

  private final String method;
  private final String verb;
  private final String noun;

  ExampleTask(String method, String verb, String noun) {
    this.method = method;
    this.verb = verb;
    this.noun = noun;
  }

  /** Returns the task behind a method name such as {@code tensorflow/serving/classify}. */
  public static Optional<ExampleTask> of(String method) {
    for (ExampleTask task : values()) {
      if (task.method.equals(method)) {
        return Optional.of(task);
      }
    }
    return Optional.empty();
  }

  /** Returns the method name of signatures that are made for it. */
  String method() {
    return method;
  }

  /** Returns the verb of the task, for error texts. */
  String verb() {
    return verb;
  }

  /** Returns the noun of the task, for error texts. */
  String noun() {
    return noun;
  }
}
