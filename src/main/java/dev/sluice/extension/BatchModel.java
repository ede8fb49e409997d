package dev.sluice.extension;

import java.util.List;

/**
 * A model that answers several requests in one call, where the setting {@code max_batch_size} lets
 * it: so many requests at most run together, of any shapes, by the same batch delay, preferred
 * sizes and priorities as rows of other models. Named as a service {@link Model}.
 *
 * <p>Threads: as of {@link Model}; the time limit is that of the whole call.
 */
public interface BatchModel extends Model {
  /**
   * Answers requests. One whose caller has left or whose time is up stays among the others, and
   * says so; once all have, the thread is interrupted. If this throws, each request runs in a call
   * of its own, so that only the one at fault fails.
   *
   * @param requests one at least
   * @return what becomes of each, in their order: a {@link Refusal} is of its request alone
   */
  List<Outcome> run(List<Request> requests) throws Exception;

  /** Answers a request that runs alone. */
  @Override
  default Answer run(Request request) throws Exception {
    return switch (run(List.of(request)).getFirst()) {
      case Answer answer -> answer;
      case Refusal refusal -> throw refusal;
    };
  }
}
