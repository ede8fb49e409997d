package dev.sluice.protocol.tfs;

import java.util.Optional;

/** What is asked of examples. */
public enum ExampleTask {
  /** Which classes does each belong to? */
  CLASSIFY("tensorflow/serving/classify", "classify", "classification"),
  /** Which value does each have? */
  REGRESS("tensorflow/serving/regress", "regress", "regression");

  private final String method;
  private final String verb;
  private final String noun;

  ExampleTask(String method, String verb, String noun) {
    this.method = method;
    this.verb = verb;
    this.noun = noun;
  }

  /** The task behind a method name such as {@code tensorflow/serving/classify}. */
  public static Optional<ExampleTask> of(String method) {
    for (ExampleTask task : values()) {
      if (task.method.equals(method)) {
        return Optional.of(task);
      }
    }
    return Optional.empty();
  }

  /** The method name of signatures that are made for it. */
  String method() {
    return method;
  }

  /** As texts call the doing of it. */
  String verb() {
    return verb;
  }

  /** As texts call what is done. */
  String noun() {
    return noun;
  }
}
