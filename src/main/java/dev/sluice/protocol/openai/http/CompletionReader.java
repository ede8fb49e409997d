package dev.sluice.protocol.openai.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.SeveralAnswers;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.openai.generation.GenerationReader;
import dev.sluice.protocol.openai.generation.GeneratorOutputs;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.protocol.openai.tools.Tools;
import dev.sluice.transport.Body;
import java.util.ArrayList;
import java.util.List;

/** Reads the body of a request for a completion, in one pass. One thread. */
final class CompletionReader {
  private static final String LOGPROBS = "logprobs";
  private static final String PROMPT = "prompt";
  private static final String TOKEN_IDS = "token_ids";
  private static final String TEXTS =
      "a text, a list of token ids, or a list of 1 to " + SeveralAnswers.MOST + " of these";

  private final GenerationReader reader;
  private final JsonCursor in;

  /** Texts, or lists of token ids as JSON. */
  private List<String> prompts = List.of();

  private boolean tokenIds;

  /** 0 if it is not said. */
  private int bestOf;

  private boolean echo;

  private CompletionReader(Body json) {
    reader = new GenerationReader(json, "completions");
    in = reader.in();
  }

  /**
   * Reads a body.
   *
   * @throws InferenceException with INVALID_ARGUMENT, naming the parameter that is wrong
   */
  static CompletionRequest read(Body json) {
    var completion = new CompletionReader(json);
    completion.reader.name(GeneratorOutputs.TEXT, PROMPT);
    completion.reader.read(completion::member);
    if (completion.tokenIds) {
      completion.reader.parameters().put(TOKEN_IDS, new ParameterValue.Flag(true));
    }
    CompletionRequest request =
        CompletionRequest.of(completion.reader, completion.prompts, completion.echo, Tools.NONE);
    completion.requireConsistent();
    return request;
  }

  private void requireConsistent() {
    int n = reader.n();
    if (prompts.isEmpty()) {
      throw OpenAiError.parameter(PROMPT, "missing", TEXTS);
    }
    if (prompts.size() * n > SeveralAnswers.MOST) {
      throw OpenAiError.parameter(
          "n",
          "%d for each of %d prompts".formatted(n, prompts.size()),
          "%d answers at most together".formatted(SeveralAnswers.MOST));
    }
    if (bestOf != 0 && bestOf != n) {
      throw OpenAiError.parameter(
          "best_of", Integer.toString(bestOf), n + ", as n: all answers are sent");
    }
    if (echo && reader.parameters().containsKey(LOGPROBS)) {
      throw OpenAiError.parameter(
          "echo", "true", "false beside logprobs: tokens of a prompt have none");
    }
    if (echo && tokenIds) {
      throw OpenAiError.parameter("echo", "true", "false beside a prompt of token ids");
    }
  }

  private void member(String name) {
    switch (name) {
      case PROMPT -> prompts = prompts();
      case "best_of" -> bestOf = reader.count(name);
      case "echo" -> echo = reader.flag(name);
      case "suffix" -> empty(name);
      case LOGPROBS -> reader.parameter(name);
      default -> reader.common(name);
    }
  }

  private List<String> prompts() {
    tokenIds = false;
    if (in.peek() != Kind.ARRAY) {
      return List.of(reader.text(PROMPT));
    }
    int from = in.position();
    List<String> read = new ArrayList<>();
    int count = 0;
    in.beginArray();
    while (in.nextElement()) {
      if (count == 0 && in.peek() == Kind.NUMBER) {
        in.seek(from);
        return List.of(tokenIds(PROMPT));
      }
      String prompt = prompt("%s[%d]".formatted(PROMPT, count), count == 0);
      if (count++ < SeveralAnswers.MOST) {
        read.add(prompt);
      }
    }
    if (count == 0 || count > SeveralAnswers.MOST) {
      throw OpenAiError.parameter(PROMPT, "a list of " + count, TEXTS);
    }
    return read;
  }

  private String prompt(String name, boolean first) {
    if (in.peek() == Kind.ARRAY && (first || tokenIds)) {
      return tokenIds(name);
    }
    if (in.peek() == Kind.STRING && !tokenIds) {
      return in.string().toText();
    }
    throw reader.wrong(name, tokenIds ? "a list of token ids" : "a text");
  }

  /** Returns a list as it is written: the model knows its tokens. */
  private String tokenIds(String name) {
    tokenIds = true;
    return reader.json(name, Kind.ARRAY, "a list of token ids");
  }

  private void empty(String name) {
    if (!reader.text(name).isEmpty()) {
      throw OpenAiError.parameter(name, "a text", "none: nothing is written between two texts");
    }
  }
}
