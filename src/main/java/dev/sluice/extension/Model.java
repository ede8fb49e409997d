package dev.sluice.extension;

/**
 * A model that answers each request once.
 *
 * <p>Threads: as many at once as the setting {@code instances} says; by default one.
 */
public interface Model extends Extension {
  /** Returns the signature of the model. Asked once, after {@link #open}. */
  ModelSignature signature();

  /**
   * Answers a request.
   *
   * @param request its inputs have the declared names, types and shapes
   * @return every declared output that the caller wants; others may be there and are left out
   * @throws Refusal if the caller is to know of which kind the failure is
   */
  Answer run(Request request) throws Exception;
}
