package dev.sluice.protocol.openai.tools;

import java.util.ArrayList;
import java.util.List;

/** The events of an answer that were not taken yet; its calls are counted. One thread at a time. */
final class ToolEvents {
  private List<ToolEvent> events = new ArrayList<>();
  private int calls;

  /** Returns the events since the last time. */
  List<ToolEvent> take() {
    List<ToolEvent> taken = events;
    events = new ArrayList<>();
    return taken;
  }

  /** Returns how many calls have ended. */
  int calls() {
    return calls;
  }

  /** Adds text, which may be empty, to that just before it. */
  void text(String text) {
    if (text.isEmpty()) {
      return;
    }
    if (!events.isEmpty() && events.getLast() instanceof ToolEvent.Text(String before)) {
      events.set(events.size() - 1, new ToolEvent.Text(before + text));
    } else {
      events.add(new ToolEvent.Text(text));
    }
  }

  void begin(String function) {
    events.add(new ToolEvent.Begin(calls, CallIds.next(), function));
  }

  /** Adds more of the arguments of the call that has begun; may be empty. */
  void arguments(String more) {
    if (!more.isEmpty()) {
      events.add(new ToolEvent.Arguments(calls, more));
    }
  }

  void end() {
    events.add(new ToolEvent.End(calls));
    calls++;
  }
}
