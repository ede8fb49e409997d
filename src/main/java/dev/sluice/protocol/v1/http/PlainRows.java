package dev.sluice.protocol.v1.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.codec.JsonException;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.transport.Body;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predict body of the usual kind, checked and decoded in one pass: {@code instances}, with or
 * without {@code signature_name} before it, and nothing wrong. All others, whatever they have, are
 * left to {@link PredictDocument} and {@link PredictDecoder}, which read twice and know what to say
 * first. What this takes, they take too, and as the same tensors.
 *
 * @param signature the one that is meant
 * @param inputs the tensors, owned by the caller
 */
record PlainRows(Signature signature, List<NamedTensor> inputs) {
  /** Deeper values may be too deep for a document: one level for each list and object around. */
  private static final int MOST_DIMENSIONS = JsonCursor.MAX_DEPTH - 4;

  /** Decodes a body for a model, which it borrows; null if it is another kind of body. */
  static @Nullable PlainRows read(Body body, ModelLease model, V1Dialect lead) {
    try {
      return read(body, new JsonCursor(body), model, lead);
    } catch (JsonException | InferenceException wrong) {
      return null;
    }
  }

  private static @Nullable PlainRows read(
      Body body, JsonCursor in, ModelLease model, V1Dialect lead) {
    if (in.peek() != Kind.OBJECT) {
      return null;
    }
    in.beginObject();
    String signatureName = "";
    if (in.nextKey() && in.keyIs("signature_name") && in.peek() == Kind.STRING) {
      signatureName = in.string().toText();
      if (!in.nextKey()) {
        return null;
      }
    }
    @Nullable Signature signature = model.metadata().signature(signatureName).orElse(null);
    if (signature == null || signature.inputs().isEmpty() || !in.keyIs("instances")) {
      return null;
    }
    @Nullable String binding = model.metadata().shapesBind() ? model.id().name() : null;
    return read(body, in, signature, binding, lead);
  }

  private static @Nullable PlainRows read(
      Body body, JsonCursor in, Signature signature, @Nullable String binding, V1Dialect lead) {
    if (in.peek() != Kind.ARRAY) {
      return null;
    }
    try (var builders = new InputBuilders(body, signature, in, lead)) {
      if (new RowsDecoder(body, "instances", in, builders).read() == 0 || in.nextKey()) {
        return null;
      }
      in.finish();
      return builders.deepest() > MOST_DIMENSIONS
          ? null
          : new PlainRows(signature, builders.build(binding));
    }
  }
}
