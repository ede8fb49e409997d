package dev.sluice.protocol.openai.responses;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.ChosenToken;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.generation.TokenUsage;
import dev.sluice.protocol.openai.tools.ToolCallParser;
import dev.sluice.protocol.openai.tools.ToolEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the model has said so far: the items of the output, and how it ends. One thread at a time;
 * responses are borrowed.
 */
final class ResponseAnswer {
  private final String id;
  private final Optional<ToolCallParser> parser;
  private final List<OutputItem> items = new ArrayList<>();

  /** To which more may come; null if there is none. */
  private @Nullable OutputItem open;

  private String finishReason = "";
  private TokenUsage usage = TokenUsage.NONE;

  /**
   * @param id what the names of items are made of
   * @param parser finds the calls in the text; empty: all of it is text
   */
  ResponseAnswer(String id, Optional<ToolCallParser> parser) {
    this.id = id;
    this.parser = parser;
  }

  /** Takes the next response. */
  void add(InferenceResponse response, OutputListener listener) {
    String text = GeneratorOutputs.text(response, GeneratorOutputs.TEXT);
    String tokens = logProbs(response);
    finishReason = GeneratorOutputs.text(response, GeneratorOutputs.FINISH_REASON);
    usage = TokenUsage.of(response);
    if (parser.isEmpty()) {
      say(text, tokens, listener);
    } else {
      // Tokens of calls have no place in the output, nor those of text that is held back.
      String left = take(parser.get().append(text), tokens, Status.COMPLETED, listener);
      if (open instanceof OutputMessage && !left.isEmpty()) {
        say("", left, listener);
      }
    }
    if (isOver()) {
      end(listener);
    }
  }

  private void end(OutputListener listener) {
    Status how = isCut() ? Status.INCOMPLETE : Status.COMPLETED;
    if (parser.isPresent()) {
      List<ToolEvent> last = parser.get().end();
      Status call = parser.get().hasBrokenCall() ? Status.INCOMPLETE : how;
      String _ = take(last, "", call, listener);
    }
    if (items.isEmpty()) {
      message(listener);
    }
    close(how, listener);
  }

  /**
   * Takes parts of the answer.
   *
   * @param tokens log-probabilities, which go with the first text
   * @param ended how calls are that end here
   * @return those that did not go with any
   */
  private String take(
      List<ToolEvent> events, String tokens, Status ended, OutputListener listener) {
    String left = tokens;
    for (ToolEvent event : events) {
      switch (event) {
        case ToolEvent.Text(String text) -> {
          say(text, left, listener);
          left = "";
        }
        case ToolEvent.Begin(int _, String callId, String name) -> {
          close(Status.COMPLETED, listener);
          add(new OutputCall(items.size(), id + "_" + items.size(), callId, name), listener);
        }
        case ToolEvent.Arguments(int _, String json) -> {
          if (open instanceof OutputCall call) {
            call.append(json);
            listener.argued(call, json);
          }
        }
        case ToolEvent.End _ -> close(ended, listener);
      }
    }
    return left;
  }

  private void say(String text, String tokens, OutputListener listener) {
    OutputMessage message = open instanceof OutputMessage said ? said : message(listener);
    if (!isOver() || !text.isEmpty() || !tokens.isEmpty()) {
      message.append(text, tokens);
      listener.said(message, text, tokens);
    }
  }

  private OutputMessage message(OutputListener listener) {
    close(Status.COMPLETED, listener);
    var message = new OutputMessage(items.size(), id + "_" + items.size());
    add(message, listener);
    return message;
  }

  private void add(OutputItem item, OutputListener listener) {
    items.add(item);
    open = item;
    listener.added(item);
  }

  private void close(Status how, OutputListener listener) {
    OutputItem item = open;
    if (item != null) {
      item.end(how);
      open = null;
      listener.ended(item);
    }
  }

  private static String logProbs(InferenceResponse response) {
    if (GeneratorOutputs.output(response, ChosenToken.TEXTS).isEmpty()) {
      return "";
    }
    var out = new JsonWriter(256);
    ChosenToken.write(out, ChosenToken.of(response));
    return out.toBuffer().toString(StandardCharsets.UTF_8);
  }

  /** Returns whether the model has said all. */
  boolean isOver() {
    return !finishReason.isEmpty();
  }

  /** Returns whether the model had more to say than it was allowed to. */
  boolean isCut() {
    return finishReason.equals("length");
  }

  /** Writes the items, which are over, as a list. */
  void writeItems(JsonWriter out) {
    String before = "[";
    for (OutputItem item : items) {
      item.write(out.raw(before));
      before = ",";
    }
    out.raw(']');
  }

  /** Writes the numbers of tokens. */
  void writeUsage(JsonWriter out) {
    out.raw("{\"input_tokens\":").number(usage.prompt());
    out.raw(",\"input_tokens_details\":{\"cached_tokens\":").number(usage.cached());
    out.raw("},\"output_tokens\":").number(usage.completion());
    out.raw(",\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":");
    out.number(usage.total()).raw('}');
  }
}
