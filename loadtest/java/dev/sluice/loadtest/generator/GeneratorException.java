package dev.sluice.loadtest.generator;

/** A round that says nothing about the server: the generator failed, or answers did. */
public final class GeneratorException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  GeneratorException(String message) {
    super(message);
  }
}
