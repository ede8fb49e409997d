package dev.sluice.extension;

import java.util.List;
import java.util.Map;

/**
 * One caller's request. Any thread.
 *
 * <p>What its protocol has besides tensors is among the parameters: those of the Open Inference
 * Protocol by their names. If the signature is open, grps adds {@code grps.data}, which form the
 * data has ({@code str_data}, {@code bin_data}, {@code gtensors}, {@code ndarray}, {@code gmap}; it
 * is not there if the message has no data), {@code grps.model}, the name in the message if there is
 * one, and {@code grps.s_b.KEY} for each key of a map of bytes: of two values of such a key that
 * are BYTES, the first one is the text of {@code s_s}.
 */
public interface Request {
  /** Returns the id, for logs. */
  String id();

  /** Returns the inputs, in the caller's order. */
  List<Value> inputs();

  /**
   * Returns one input.
   *
   * @throws Refusal of kind INVALID_ARGUMENT if the caller left it out
   */
  default Value input(String name) {
    for (Value input : inputs()) {
      if (input.name().equals(name)) {
        return input;
      }
    }
    throw Refusal.invalid("input '" + name + "' is missing");
  }

  /** Texts, {@link Long}s, {@link Double}s and {@link Boolean}s by name. */
  Map<String, Object> parameters();

  /** Returns the outputs that the caller wants; empty for all of them. */
  List<String> outputs();

  /**
   * Returns whether the request is cancelled or expired. The thread is interrupted too when that
   * comes.
   */
  boolean isCancelled();
}
