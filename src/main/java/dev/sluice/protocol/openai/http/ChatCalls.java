package dev.sluice.protocol.openai.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.tools.ToolEvent;
import java.util.List;

/** Writes text and tool calls as members of a message, or of what comes to it. */
final class ChatCalls {
  private ChatCalls() {}

  /** Writes those of a whole answer; without text beside calls the content is null. */
  static void message(JsonWriter out, List<ToolEvent> events) {
    var text = new StringBuilder();
    boolean called = false;
    for (ToolEvent event : events) {
      if (event instanceof ToolEvent.Text(String more)) {
        text.append(more);
      }
      called |= event instanceof ToolEvent.Begin;
    }
    out.raw("\"content\":");
    if (called && text.isEmpty()) {
      out.raw("null");
    } else {
      out.string(text.toString());
    }
    if (called) {
      calls(out.raw(",\"tool_calls\":["), events);
      out.raw(']');
    }
  }

  private static void calls(JsonWriter out, List<ToolEvent> events) {
    var arguments = new StringBuilder();
    for (ToolEvent event : events) {
      switch (event) {
        case ToolEvent.Begin(int index, String id, String name) -> {
          arguments.setLength(0);
          begin(out.raw(index == 0 ? "{" : ",{"), id, name);
        }
        case ToolEvent.Arguments(int _, String json) -> arguments.append(json);
        case ToolEvent.End _ -> out.string(arguments.toString()).raw("}}");
        case ToolEvent.Text _ -> {
          // It is the content.
        }
      }
    }
  }

  /** Writes a call up to the value of its arguments. */
  private static void begin(JsonWriter out, String id, String name) {
    out.raw("\"id\":").string(id).raw(",\"type\":\"function\",\"function\":{\"name\":");
    out.string(name).raw(",\"arguments\":");
  }

  /** Writes what comes to a message. */
  static void delta(JsonWriter out, ToolEvent event) {
    switch (event) {
      case ToolEvent.Text(String text) -> out.raw("\"content\":").string(text);
      case ToolEvent.Begin(int index, String id, String name) -> {
        begin(out.raw("\"tool_calls\":[{\"index\":").number(index).raw(','), id, name);
        out.raw("\"\"}}]");
      }
      case ToolEvent.Arguments(int index, String json) -> {
        out.raw("\"tool_calls\":[{\"index\":").number(index);
        out.raw(",\"function\":{\"arguments\":").string(json).raw("}}]");
      }
      case ToolEvent.End _ -> throw new IllegalArgumentException("an end adds nothing");
    }
  }
}
