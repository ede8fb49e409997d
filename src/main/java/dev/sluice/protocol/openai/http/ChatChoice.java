package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.tools.ToolCallParser;
import dev.sluice.protocol.openai.tools.ToolEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One of the answers in a conversation: a message, or what comes to it. The first piece says who
 * speaks, the last one why it ends.
 */
final class ChatChoice extends Choice {
  private static final String STOP = "stop";

  private final int index;
  private final Optional<ToolCallParser> calls;
  private boolean begun;

  /**
   * @param index its number among those of the call
   * @param calls finds the tool calls in its text; empty: all of it is text
   */
  ChatChoice(int index, Optional<ToolCallParser> calls) {
    this.index = index;
    this.calls = calls;
  }

  @Override
  void whole(JsonWriter out, InferenceResponse response) {
    out.raw("{\"index\":").number(index);
    out.raw(",\"message\":{\"role\":\"assistant\",");
    if (calls.isPresent()) {
      ChatCalls.message(out, events(calls.get(), response, true));
    } else {
      GeneratorOutputs.write(out.raw("\"content\":"), response, GeneratorOutputs.TEXT, "\"\"");
    }
    out.raw(",\"refusal\":null},\"logprobs\":");
    logProbs(out, response);
    finish(out, response);
    count(response);
  }

  @Override
  List<Consumer<JsonWriter>> pieces(InferenceResponse response) {
    List<Consumer<JsonWriter>> pieces = new ArrayList<>();
    if (!begun) {
      begun = true;
      pieces.add(out -> speaker(out));
    }
    boolean ends = GeneratorOutputs.output(response, GeneratorOutputs.FINISH_REASON).isPresent();
    boolean tokens = GeneratorOutputs.output(response, ChosenToken.TEXTS).isPresent();
    if (calls.isPresent()) {
      addEvents(pieces, events(calls.get(), response, ends), response, tokens);
    } else if (!ends
        || tokens
        || !GeneratorOutputs.text(response, GeneratorOutputs.TEXT).isEmpty()) {
      pieces.add(out -> content(out, response));
    }
    if (ends) {
      pieces.add(out -> end(out, response));
      count(response);
    }
    return pieces;
  }

  private static List<ToolEvent> events(
      ToolCallParser parser, InferenceResponse response, boolean ends) {
    List<ToolEvent> events =
        new ArrayList<>(parser.append(GeneratorOutputs.text(response, GeneratorOutputs.TEXT)));
    if (ends) {
      events.addAll(parser.end());
    }
    return events;
  }

  /** Log-probabilities go with the first piece of a response, which may say nothing else. */
  private void addEvents(
      List<Consumer<JsonWriter>> pieces,
      List<ToolEvent> events,
      InferenceResponse response,
      boolean tokens) {
    List<ToolEvent> said =
        events.stream().filter(event -> !(event instanceof ToolEvent.End)).toList();
    if (said.isEmpty() && tokens) {
      pieces.add(out -> event(out, new ToolEvent.Text(""), response, true));
    }
    for (int i = 0; i < said.size(); i++) {
      ToolEvent event = said.get(i);
      boolean first = i == 0;
      pieces.add(out -> event(out, event, response, first));
    }
  }

  private void event(
      JsonWriter out, ToolEvent event, InferenceResponse response, boolean withLogProbs) {
    ChatCalls.delta(delta(out), event);
    out.raw("},\"logprobs\":");
    if (withLogProbs) {
      logProbs(out, response);
    } else {
      out.raw("null");
    }
    out.raw(",\"finish_reason\":null}");
  }

  private JsonWriter delta(JsonWriter out) {
    return out.raw("{\"index\":").number(index).raw(",\"delta\":{");
  }

  private void speaker(JsonWriter out) {
    delta(out).raw("\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}");
    out.raw(",\"logprobs\":null,\"finish_reason\":null}");
  }

  private void content(JsonWriter out, InferenceResponse response) {
    delta(out).raw("\"content\":");
    GeneratorOutputs.write(out, response, GeneratorOutputs.TEXT, "\"\"");
    logProbs(out.raw("},\"logprobs\":"), response);
    out.raw(",\"finish_reason\":null}");
  }

  private void end(JsonWriter out, InferenceResponse response) {
    finish(delta(out).raw("},\"logprobs\":null"), response);
  }

  /** Writes why the answer ends: by calls, unless one of them is cut. */
  private void finish(JsonWriter out, InferenceResponse response) {
    out.raw(",\"finish_reason\":");
    boolean called = calls.filter(ToolCallParser::hasWholeCalls).isPresent();
    if (called && GeneratorOutputs.text(response, GeneratorOutputs.FINISH_REASON).equals(STOP)) {
      out.raw("\"tool_calls\"");
    } else {
      GeneratorOutputs.write(out, response, GeneratorOutputs.FINISH_REASON, "null");
    }
    out.raw('}');
  }

  private static void logProbs(JsonWriter out, InferenceResponse response) {
    if (GeneratorOutputs.output(response, ChosenToken.TEXTS).isEmpty()) {
      out.raw("null");
      return;
    }
    out.raw("{\"content\":[");
    ChosenToken.write(out, ChosenToken.of(response));
    out.raw("],\"refusal\":null}");
  }
}
