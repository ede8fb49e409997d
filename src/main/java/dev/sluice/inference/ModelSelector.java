package dev.sluice.inference;

/** The version of a model that the caller asked for. */
public sealed interface ModelSelector {
  /** Returns the name of the model, whichever version is selected. */
  String name();

  /** The highest version that takes requests. */
  record Latest(String name) implements ModelSelector {}

  record Version(String name, long version) implements ModelSelector {}

  /** A label such as {@code canary}, looked up when the request arrives. */
  record Label(String name, String label) implements ModelSelector {}
}
