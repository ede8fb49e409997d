package dev.sluice.telemetry.meter;

/**
 * The operations of a model, in each protocol's words.
 *
 * <p>Each constant names one call as its own ecosystem's dashboards do. A call that runs no model
 * has no counterpart in TensorFlow Serving's metrics.
 */
public enum Api {
  V1_PREDICT("v1", "predict"),
  V1_CLASSIFY("v1", "classify"),
  V1_REGRESS("v1", "regress"),
  V1_EXPLAIN("v1", "explain"),
  /** A model's status or metadata. */
  V1_MODEL("v1", "model"),
  TFS_PREDICT("tfs", "Predict"),
  TFS_CLASSIFY("tfs", "Classify"),
  TFS_REGRESS("tfs", "Regress"),
  TFS_MULTI_INFERENCE("tfs", "MultiInference"),
  OIP_INFER("oip", "infer"),
  OIP_STREAM("oip", "stream"),
  OIP_GENERATE("oip", "generate"),
  GRPS_PREDICT("grps", "predict"),
  GRPS_STREAM("grps", "stream"),
  OPENAI_COMPLETIONS("openai", "completions"),
  OPENAI_CHAT("openai", "chat"),
  OPENAI_RESPONSES("openai", "responses"),
  OPENAI_EMBEDDINGS("openai", "embeddings"),
  OPENAI_RERANK("openai", "rerank"),
  OPENAI_TOKENIZE("openai", "tokenize"),
  OPENAI_DETOKENIZE("openai", "detokenize"),
  /** A model, as it is listed. */
  OPENAI_MODEL("openai", "model"),
  OWN_HTTP("own", "http");

  private final String protocol;
  private final String label;

  Api(String protocol, String label) {
    this.protocol = protocol;
    this.label = label;
  }

  /** Returns the protocol's name in settings; {@code v1} for the paths that two of them share. */
  public String protocol() {
    return protocol;
  }

  /** Returns the call in its protocol's words: lower case over REST, as called over gRPC. */
  public String label() {
    return label;
  }

  /**
   * Returns TensorFlow Serving's label {@code API}, which only operations that run a model have.
   */
  public String tensorflowLabel() {
    return switch (this) {
      case V1_MODEL, OPENAI_MODEL, OPENAI_TOKENIZE, OPENAI_DETOKENIZE -> "";
      default -> label;
    };
  }
}
