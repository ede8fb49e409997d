package dev.sluice.extension;

import java.util.List;

/**
 * Pre- and post-processing around the model whose files lie in the same folder. The model itself
 * joins requests, streams and is counted as ever.
 *
 * <p>Threads: as many at once as the setting {@code instances} says; by default one.
 */
public interface Converter extends Extension {
  /**
   * Returns the signature that callers see. Asked once, after {@link #open}.
   *
   * @param model what the model itself takes and gives
   */
  default ModelSignature signature(ModelSignature model) {
    return model;
  }

  /** Makes the model's inputs of a caller's. */
  default List<Value> before(Request request) throws Exception {
    return request.inputs();
  }

  /**
   * Makes the caller's answer of the model's; of a stream, of each of its messages in turn. All but
   * the last may leave outputs out.
   *
   * @param request the caller's
   * @param answer the model's
   */
  default Answer after(Request request, Answer answer) throws Exception {
    return answer;
  }
}
