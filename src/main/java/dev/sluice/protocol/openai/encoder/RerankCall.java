package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import dev.sluice.tensor.TensorBuilder;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A call for the scores of texts beside a query, the best first. */
final class RerankCall implements EncoderCall {
  private static final String QUERY = "query";
  private static final String SCORE = "score";

  private final String model;
  private final int topN;
  private final int count;
  private final @Nullable Tensor shown;
  private @Nullable Tensor query;
  private @Nullable Tensor texts;

  private RerankCall(String model, int topN, @Nullable Tensor shown, Tensor query, Tensor texts) {
    this.model = model;
    this.topN = topN;
    this.shown = shown;
    this.count = Math.toIntExact(texts.elementCount());
    this.query = query;
    this.texts = texts;
  }

  /**
   * Makes a call.
   *
   * @param texts taken over
   * @param topN how many of the best are wanted
   * @param withTexts whether the answer has the texts too
   */
  static RerankCall of(String model, String query, Tensor texts, int topN, boolean withTexts) {
    Tensor shown = null;
    byte[] bytes = query.getBytes(StandardCharsets.UTF_8);
    try (var builder = new TensorBuilder(DataType.BYTES, Integer.BYTES + bytes.length)) {
      shown = withTexts ? texts.copy() : null;
      builder.putBytes(bytes, 0, bytes.length);
      return new RerankCall(model, topN, shown, builder.build(Shape.of(1)), texts);
    } catch (RuntimeException | Error e) {
      close(shown);
      texts.close();
      throw e;
    }
  }

  private static void close(@Nullable Tensor tensor) {
    if (tensor != null) {
      tensor.close();
    }
  }

  /** Returns the body of a failure's answer. */
  static Buffer error(InferenceException failure) {
    String message = failure.getMessage();
    return new JsonWriter(64 + message.length())
        .raw("{\"message\":")
        .string(message)
        .raw('}')
        .toBuffer();
  }

  @Override
  public String model() {
    return model;
  }

  @Override
  public Api api() {
    return Api.OPENAI_RERANK;
  }

  @Override
  public List<NamedTensor> take() {
    var taken =
        List.of(
            new NamedTensor(QUERY, EncoderSignatures.held(query)),
            new NamedTensor(TEXT, EncoderSignatures.held(texts)));
    query = null;
    texts = null;
    return taken;
  }

  @Override
  public String output() {
    return SCORE;
  }

  @Override
  public Signature signature(ModelLease lease) {
    return EncoderSignatures.of(lease, List.of(QUERY, TEXT), SCORE, 1, "ranks no texts");
  }

  @Override
  public Buffer answer(InferenceResponse response, String id) {
    Tensor scores = EncoderSignatures.rows(response, count);
    int[] best =
        IntStream.range(0, count)
            .boxed()
            .sorted(Comparator.comparingDouble((Integer place) -> -score(scores, place)))
            .limit(topN)
            .mapToInt(Integer::intValue)
            .toArray();
    String[] documents = documents(best);
    var out = new JsonWriter(256).nullsForNonFinite(true);
    out.raw("{\"id\":").string(id).raw(",\"results\":[");
    for (int i = 0; i < best.length; i++) {
      out.raw(i == 0 ? "{" : ",{").raw("\"index\":").number(best[i]);
      out.raw(",\"relevance_score\":").number(score(scores, best[i]));
      if (documents.length > 0) {
        out.raw(",\"document\":{\"text\":").string(documents[i]).raw('}');
      }
      out.raw('}');
    }
    out.raw("],\"meta\":{\"tokens\":{\"input_tokens\":");
    return out.number(EncoderSignatures.tokens(response)).raw("}}}").toBuffer();
  }

  private static float score(Tensor scores, int place) {
    return scores.data().getAtIndex(ValueLayout.JAVA_FLOAT, place);
  }

  /** Returns the texts of places, in their order; none if they are not wanted. */
  private String[] documents(int[] best) {
    if (shown == null) {
      return new String[0];
    }
    var order = new int[count];
    for (int i = 0; i < best.length; i++) {
      order[best[i]] = i + 1;
    }
    var documents = new String[best.length];
    var elements = new BytesElements(shown);
    for (int place = 0; elements.next(); place++) {
      if (order[place] > 0) {
        documents[order[place] - 1] = new String(elements.toArray(), StandardCharsets.UTF_8);
      }
    }
    return documents;
  }

  @Override
  public void close() {
    close(query);
    close(texts);
    close(shown);
    query = null;
    texts = null;
  }
}
