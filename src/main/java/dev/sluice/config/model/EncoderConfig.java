package dev.sluice.config.model;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Text encoder: a model of token ids and a mask, with its tokenizer, that clients send texts to.
 * What is left out is derived from the model and the files that it was published with.
 *
 * @param task what clients get: {@code embedding}, a vector for each text; {@code rerank}, a score
 *     for each pair of the query and a text; {@code classification}, a label and its score for each
 *     text; {@code none}: the model's own tensors; {@code auto}: by the model and its {@code
 *     config.json}
 * @param tokens how texts become tokens
 * @param head how answers are made of what the model computes
 * @param batches which texts run together
 */
public record EncoderConfig(Task task, Tokens tokens, Head head, Batches batches) {
  /** What clients get. */
  public enum Task {
    AUTO,
    EMBEDDING,
    RERANK,
    CLASSIFICATION,
    NONE
  }

  /** Which tokens' vectors a text's vector is made of. */
  public enum Pooling {
    MEAN,
    CLS,
    LAST
  }

  /** What makes scores of logits. */
  public enum Activation {
    NONE,
    SIGMOID,
    SOFTMAX
  }

  /** Whether texts run together. */
  public enum Join {
    AUTO,
    ALWAYS,
    NEVER
  }

  /**
   * How texts become tokens.
   *
   * @param tokenizer Hugging Face's {@code tokenizer.json} in the model's folder; empty: the file
   *     of that name, without which there is no encoder
   * @param maxTokens longest text in tokens, with those that the model wants around it; 0: by
   *     {@code sentence_bert_config.json}, {@code tokenizer.json}, {@code tokenizer_config.json},
   *     {@code config.json}, whichever is the first to say it, else 512
   * @param truncate whether a longer text is cut; else it is refused
   * @param specialTokens whether special tokens that a text spells are those; else they are text
   */
  public record Tokens(
      Optional<Path> tokenizer, int maxTokens, boolean truncate, boolean specialTokens) {
    static Tokens read(Section encoder) {
      return new Tokens(
          encoder.text("tokenizer").map(Path::of),
          encoder.number("max_tokens", 0, 0, MOST_TOKENS),
          encoder.flag("truncate", true),
          encoder.flag("special_tokens", false));
    }

    /** Returns the same for a model whose files are in a folder. */
    Tokens in(Path folder) {
      return new Tokens(
          tokenizer.map(file -> ModelFiles.within(folder, "encoder.tokenizer", file.toString())),
          maxTokens,
          truncate,
          specialTokens);
    }
  }

  /**
   * How answers are made of what the model computes.
   *
   * @param pooling how a vector is made of those of the tokens: their mean, that of the first token
   *     ({@code cls}) or of the last one; empty: by {@code 1_Pooling/config.json}, else the mean
   * @param normalize whether vectors have the length 1; empty: by {@code modules.json}, else true
   * @param activation what makes scores of logits; empty: by {@code config.json}, else {@code
   *     sigmoid} for pairs and {@code softmax} for labels
   */
  public record Head(
      Optional<Pooling> pooling, Optional<Boolean> normalize, Optional<Activation> activation) {
    static Head read(Section encoder) {
      return new Head(
          chosen(encoder, "pooling", Pooling.class),
          normalize(encoder),
          chosen(encoder, "activation", Activation.class));
    }

    private static Optional<Boolean> normalize(Section encoder) {
      boolean wanted = encoder.flag("normalize", true);
      return encoder.value("normalize").map(_ -> wanted);
    }

    private static <E extends Enum<E>> Optional<E> chosen(
        Section encoder, String key, Class<E> type) {
      return encoder
          .single(key, Setting.constantWanted(type), "")
          .map(value -> value.constant(type));
    }
  }

  /**
   * Which texts run together.
   *
   * @param batchTokens tokens of texts that run together, with their padding; a longer text runs
   *     alone
   * @param join whether texts run together: {@code always}, {@code never}, or {@code auto}: if the
   *     model proves when it is loaded that this changes no answer by more than 0.00001
   */
  public record Batches(int batchTokens, Join join) {
    static Batches read(Section encoder) {
      return new Batches(
          encoder.number("batch_tokens", BATCH_TOKENS, 1, MOST_TOKENS),
          encoder.choice("join", Join.AUTO));
    }
  }

  private static final int BATCH_TOKENS = 4_096;
  private static final int MOST_TOKENS = 1 << 20;

  public static final EncoderConfig DEFAULT =
      new EncoderConfig(
          Task.AUTO,
          new Tokens(Optional.empty(), 0, true, false),
          new Head(Optional.empty(), Optional.empty(), Optional.empty()),
          new Batches(BATCH_TOKENS, Join.AUTO));

  static EncoderConfig read(Section encoder) {
    return new EncoderConfig(
        encoder.choice("task", Task.AUTO),
        Tokens.read(encoder),
        Head.read(encoder),
        Batches.read(encoder));
  }

  /** Returns whether the model has to be an encoder. */
  public boolean asksForTexts() {
    return task != Task.AUTO && task != Task.NONE;
  }

  /** Returns the same with what it leaves open. */
  public EncoderConfig completed(Task found, Head complete) {
    return new EncoderConfig(found, tokens, complete, batches);
  }

  /** Returns the same for a model whose files are in a folder. */
  EncoderConfig in(Path folder) {
    return new EncoderConfig(task, tokens.in(folder), head, batches);
  }
}
