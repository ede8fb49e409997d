package dev.sluice.protocol.openai.tools;

/** A part of an answer, in the order of its text. */
public sealed interface ToolEvent {
  /** Text outside of calls; never empty. */
  record Text(String text) implements ToolEvent {}

  /**
   * A call begins.
   *
   * @param index its number among the calls of the answer, from 0
   * @param id names it: 9 letters and digits
   * @param name of the function, one of the request's
   */
  record Begin(int index, String id, String name) implements ToolEvent {}

  /** A further piece of the arguments of the call that has begun, JSON; never empty. */
  record Arguments(int index, String json) implements ToolEvent {}

  /** The call that has begun is over. */
  record End(int index) implements ToolEvent {}
}
