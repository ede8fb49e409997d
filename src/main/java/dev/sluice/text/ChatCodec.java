package dev.sluice.text;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.tokens.ToolCallForm;
import dev.sluice.text.SpecialTokens.Part;
import dev.sluice.text.jinja.value.MarkedText;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Tokens of a model that may hold conversations: its tokenizer, and the chat template beside it.
 *
 * <p>A conversation has the tokens that the library gives its whole prompt, unless a message spells
 * a special token. Then the prompt is cut at the template's special tokens, and what is between is
 * encoded by itself as text. Immutable; any thread.
 */
public final class ChatCodec implements TokenCodec {
  private final HuggingFaceTokenizer tokenizer;
  private final SpecialTokens specialTokens;
  private final ChatPrompts prompts;
  private final boolean promptsSpell;

  /** Whether tool calls are marked by a special token. */
  private final boolean marked;

  private ChatCodec(
      HuggingFaceTokenizer tokenizer,
      SpecialTokens specialTokens,
      ChatPrompts prompts,
      boolean promptsSpell) {
    this.tokenizer = tokenizer;
    this.specialTokens = specialTokens;
    this.prompts = prompts;
    this.promptsSpell = promptsSpell;
    this.marked =
        prompts.toolCalls().map(ToolCallForm::marker).filter(specialTokens::has).isPresent();
  }

  /**
   * Reads a tokenizer. Blocks.
   *
   * @param file {@code tokenizer.json}
   * @param promptsSpell whether the special tokens that a plain prompt spells are those; never
   *     those of a message
   * @param prompts of conversations
   * @throws InferenceException if the file is no tokenizer
   */
  public static ChatCodec read(Path file, boolean promptsSpell, ChatPrompts prompts) {
    TokenizerFile json = TokenizerFile.read(file);
    return new ChatCodec(json.open(false, 0), json.specialTokens(), prompts, promptsSpell);
  }

  @Override
  public long[] encode(String text, boolean around) {
    return tokenizer.encode(text, promptsSpell, around);
  }

  @Override
  public long[] encodeChat(String conversation, int longest) {
    MarkedText prompt = prompts.prompt(conversation, longest);
    if (!specialTokens.areSpelledIn(prompt)) {
      return tokenizer.encode(prompt.toString(), true, false);
    }
    return specialTokens.parts(prompt).stream().flatMapToLong(this::encode).toArray();
  }

  private LongStream encode(Part part) {
    return switch (part) {
      case Part.Token(long id) -> LongStream.of(id);
      case Part.Text(String text) -> LongStream.of(tokenizer.encode(text, false, false));
    };
  }

  @Override
  public String decode(long[] tokens) {
    return tokenizer.decode(tokens);
  }

  @Override
  public String spell(long[] tokens) {
    return tokenizer.spell(tokens);
  }

  @Override
  public Optional<ToolCallForm> toolCalls() {
    return prompts.toolCalls();
  }

  @Override
  public String decodeToolCalls(long[] tokens) {
    return marked ? tokenizer.spell(tokens) : tokenizer.decode(tokens);
  }

  @Override
  public String name(long token) {
    return tokenizer.name(token);
  }

  @Override
  public long size() {
    return tokenizer.size();
  }

  @Override
  public Optional<TokenBytes> bytes() {
    return tokenizer.bytes();
  }
}
