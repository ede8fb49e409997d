package dev.sluice.protocol.openai.http;

import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.transport.Body;
import java.util.Optional;

/** The two ways of asking for text: as the end of a text, and as an answer in a conversation. */
enum CompletionKind {
  TEXT("cmpl-", "text_completion", "text_completion", Api.OPENAI_COMPLETIONS),
  CHAT("chatcmpl-", "chat.completion", "chat.completion.chunk", Api.OPENAI_CHAT);

  private final String prefix;
  private final String whole;
  private final String chunk;
  private final Api api;

  CompletionKind(String prefix, String whole, String chunk, Api api) {
    this.prefix = prefix;
    this.whole = whole;
    this.chunk = chunk;
    this.api = api;
  }

  /** Returns what an answer's id begins with. */
  String prefix() {
    return prefix;
  }

  /** Returns what an answer calls itself. */
  String object(boolean stream) {
    return stream ? chunk : whole;
  }

  /** Returns what it is counted as. */
  Api api() {
    return api;
  }

  /**
   * Reads the body of a request.
   *
   * @throws dev.sluice.inference.InferenceException with INVALID_ARGUMENT, naming the parameter
   *     that is wrong
   */
  CompletionRequest read(Body json) {
    return this == CHAT ? ChatReader.read(json) : CompletionReader.read(json);
  }

  /**
   * Returns one of a request's answers, counted from 0.
   *
   * @param form in which the model writes tool calls; empty if that is not known
   */
  Choice choice(int index, CompletionRequest request, Optional<ToolCallForm> form) {
    return this == CHAT
        ? new ChatChoice(index, request.tools().parser(form, request.stream()))
        : new CompletionChoice(index, request.beginning(index));
  }
}
