package dev.sluice.protocol.openai.encoder;

import dev.sluice.inference.InferenceResponse;
import dev.sluice.inference.ModelLease;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.openai.generation.OpenAiError;
import dev.sluice.telemetry.meter.Api;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A call for the vectors of texts. */
final class EmbeddingCall implements EncoderCall {
  private static final String EMBEDDING = "embedding";

  /** Letters of a number, about. */
  private static final int NUMBER = 13;

  private final String model;
  private final boolean base64;
  private final int dimensions;
  private final long count;
  private @Nullable Tensor texts;

  /**
   * @param texts taken over
   * @param base64 whether vectors are written as the bytes of their numbers, in base64
   * @param dimensions numbers of each vector; 0: all
   */
  EmbeddingCall(String model, Tensor texts, boolean base64, int dimensions) {
    this.model = model;
    this.count = texts.elementCount();
    this.texts = texts;
    this.base64 = base64;
    this.dimensions = dimensions;
  }

  @Override
  public String model() {
    return model;
  }

  @Override
  public Api api() {
    return Api.OPENAI_EMBEDDINGS;
  }

  @Override
  public List<NamedTensor> take() {
    var taken = List.of(new NamedTensor(TEXT, EncoderSignatures.held(texts)));
    texts = null;
    return taken;
  }

  @Override
  public String output() {
    return EMBEDDING;
  }

  @Override
  public Signature signature(ModelLease lease) {
    Signature signature =
        EncoderSignatures.of(lease, List.of(TEXT), EMBEDDING, 2, "embeds no texts");
    long width = signature.output(EMBEDDING).orElseThrow().shape().dim(1);
    if (width != Shape.ANY) {
      requireAtMost(width);
    }
    return signature;
  }

  private void requireAtMost(long width) {
    if (dimensions > width) {
      throw OpenAiError.parameter(
          "dimensions", Integer.toString(dimensions), "a whole number from 1 to " + width);
    }
  }

  @Override
  public Buffer answer(InferenceResponse response, String id) {
    Tensor vectors = EncoderSignatures.rows(response, count);
    int width = Math.toIntExact(vectors.shape().dim(1));
    requireAtMost(width);
    int wanted = dimensions == 0 ? width : dimensions;
    var out = new JsonWriter(Math.toIntExact(Math.min(1 << 26, 256 + count * wanted * NUMBER)));
    out.nullsForNonFinite(true);
    out.raw("{\"object\":\"list\",\"data\":[");
    for (long row = 0; row < count; row++) {
      out.raw(row == 0 ? "{" : ",{").raw("\"object\":\"embedding\",\"index\":").number(row);
      write(out.raw(",\"embedding\":"), shortened(vectors, row * width, width, wanted));
      out.raw('}');
    }
    long tokens = EncoderSignatures.tokens(response);
    out.raw("],\"model\":").string(model).raw(",\"usage\":{\"prompt_tokens\":").number(tokens);
    return out.raw(",\"total_tokens\":").number(tokens).raw("}}").toBuffer();
  }

  /** Returns the first numbers of a vector, as long together as all of them. */
  private static float[] shortened(Tensor vectors, long from, int width, int wanted) {
    var numbers = new float[wanted];
    double all = 0;
    double kept = 0;
    for (int i = 0; i < width; i++) {
      float number = vectors.data().getAtIndex(ValueLayout.JAVA_FLOAT, from + i);
      all += (double) number * number;
      if (i < wanted) {
        numbers[i] = number;
        kept += (double) number * number;
      }
    }
    for (int i = 0; wanted < width && kept > 0 && i < wanted; i++) {
      numbers[i] = (float) (numbers[i] * Math.sqrt(all / kept));
    }
    return numbers;
  }

  private void write(JsonWriter out, float[] numbers) {
    if (base64) {
      ByteBuffer bytes =
          ByteBuffer.allocate(numbers.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(numbers);
      out.base64(bytes.array());
      return;
    }
    for (int i = 0; i < numbers.length; i++) {
      out.raw(i == 0 ? '[' : ',').number(numbers[i]);
    }
    out.raw(']');
  }

  @Override
  public void close() {
    if (texts != null) {
      texts.close();
      texts = null;
    }
  }
}
