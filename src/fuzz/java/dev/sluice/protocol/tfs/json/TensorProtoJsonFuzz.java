package dev.sluice.protocol.tfs.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.protocol.codec.JsonWriter;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A default value of a signature, a TensorProto, which is shown as JSON. */
final class TensorProtoJsonFuzz implements FuzzTarget {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

  @Override
  public void accept(byte[] input) throws IOException {
    var out = new JsonWriter(256);
    var written =
        Rejection.request(() -> {
          TensorProtoJson.write(ByteBuffer.wrap(input), "DT_FLOAT", out);
          return out;
        });
    if (written == null) {
      return;
    }
    byte[] json = out.toBuffer().getBytes();
    try {
      JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON", e);
    }
  }
}
