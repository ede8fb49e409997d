package dev.sluice.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

/**
 * A real model of text embeddings, all-MiniLM-L6-v2 with quantized weights, in a folder as it is
 * published on Hugging Face, and what ONNX Runtime makes of texts with it in Python: {@code
 * embeddings.py}.
 */
public final class MiniLm {
  public static final int WIDTH = 384;

  private static final Path KEPT = Path.of("src/test/resources/text/minilm.json");
  private static final JsonMapper JSON = new JsonMapper();

  private MiniLm() {}

  /**
   * A text and what it becomes.
   *
   * @param ids its tokens
   * @param vector of the length 1
   */
  @SuppressWarnings("ArrayRecordComponent") // Read-only, and never compared.
  public record Embedded(String text, long[] ids, float[] vector) {
    private static Embedded of(JsonNode row) {
      long[] ids =
          StreamSupport.stream(row.get("ids").spliterator(), false)
              .mapToLong(JsonNode::longValue)
              .toArray();
      var vector = new float[WIDTH];
      ByteBuffer.wrap(Base64.getDecoder().decode(row.get("vector").textValue()))
          .order(ByteOrder.LITTLE_ENDIAN)
          .asFloatBuffer()
          .get(vector);
      return new Embedded(row.get("text").textValue(), ids, vector);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Returns texts in many scripts. */
  public static List<Embedded> embedded() throws IOException {
    return JSON.readTree(KEPT.toFile()).valueStream().map(Embedded::of).toList();
  }

  /** Writes the folder of a model, without settings, and returns it. */
  public static Path writeTo(Path models, String name) throws IOException {
    Path folder = Files.createDirectories(models.resolve(name));
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"architectures": ["BertModel"], "max_position_embeddings": 512, "pad_token_id": 0}
        """);
    copy("tokenizer.json", "-tokenizer.json", folder);
    copy("model_quantized.onnx", ".onnx", Files.createDirectories(folder.resolve("onnx")));
    return folder;
  }

  private static void copy(String name, String ending, Path folder) throws IOException {
    try (InputStream file = MiniLm.class.getResourceAsStream("/all-minilm-l6-v2-q" + ending)) {
      Files.copy(Objects.requireNonNull(file), folder.resolve(name));
    }
  }
}
