package dev.sluice.runtime.tensorflow;

import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readEntry;
import static dev.sluice.runtime.tensorflow.ProtobufMessageReader.readMessage;

import com.google.protobuf.CodedInputStream;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads the signatures out of a serialized MetaGraphDef, by field number, and skips the graph,
 * which may be large. What a map holds is declared in the order of its keys: the file has no other.
 */
final class SignatureReader {
  private static final int SIGNATURE_DEF = 5;

  private SignatureReader() {}

  /** Signatures by name. The buffer is read and not kept. */
  static Map<String, Signature> read(ByteBuffer metaGraph) {
    var signatures = new TreeMap<String, Signature>();
    try {
      readMessage(
          CodedInputStream.newInstance(metaGraph),
          (field, in) ->
              field == SIGNATURE_DEF
                  && readEntry(in, (key, value) -> signatures.put(key, signature(key, value))));
    } catch (IOException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL, "the signatures cannot be read: " + e.getMessage(), e);
    }
    return signatures;
  }

  private static Signature signature(String name, CodedInputStream message) throws IOException {
    var inputs = new TreeMap<String, TensorInfo>();
    var outputs = new TreeMap<String, TensorInfo>();
    var defaults = new TreeMap<String, ByteBuffer>();
    var method = new String[] {""};
    readMessage(
        message,
        (field, in) ->
            switch (field) {
              case 1 -> readEntry(in, (key, value) -> inputs.put(key, TensorInfo.read(value)));
              case 2 -> readEntry(in, (key, value) -> outputs.put(key, TensorInfo.read(value)));
              case 3 -> {
                method[0] = in.readString();
                yield true;
              }
              case 4 ->
                  readEntry(
                      in, (key, value) -> defaults.put(key, ProtobufMessageReader.rest(value)));
              default -> false;
            });
    SignatureTensors given = SignatureTensors.of(inputs, defaults.keySet());
    SignatureTensors taken = SignatureTensors.of(outputs, Set.of());
    return new Signature(
        name,
        method[0],
        given.specs(),
        taken.specs(),
        defaults,
        given.composites(),
        taken.composites());
  }
}
