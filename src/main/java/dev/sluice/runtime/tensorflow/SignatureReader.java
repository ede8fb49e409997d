package dev.sluice.runtime.tensorflow;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the signatures out of a serialized MetaGraphDef, by field number, and skips the graph,
 * which may be large. What a map holds is declared in the order of its keys: the file has no other.
 */
final class SignatureReader {
  /** A message that is read field by field. */
  private interface Message {
    /** Reads the field's value, or returns false to have it skipped. */
    boolean read(int field, CodedInputStream in) throws IOException;
  }

  /** What the message of that name says. */
  private static final class TensorInfo {
    private String name = "";
    private int type;
    private Shape shape = Shape.SCALAR;
    private boolean composite;
  }

  private SignatureReader() {}

  /** Signatures by name. The buffer is read and not kept. */
  static Map<String, Signature> read(ByteBuffer metaGraph) {
    var signatures = new TreeMap<String, Signature>();
    try {
      readMessage(
          CodedInputStream.newInstance(metaGraph),
          (field, in) ->
              field == 5
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
              case 1 -> readEntry(in, (key, value) -> inputs.put(key, info(value)));
              case 2 -> readEntry(in, (key, value) -> outputs.put(key, info(value)));
              case 3 -> {
                method[0] = in.readString();
                yield true;
              }
              case 4 -> readEntry(in, (key, value) -> defaults.put(key, rest(value)));
              default -> false;
            });
    return new Signature(
        name, method[0], specs(inputs, defaults), specs(outputs, Map.of()), defaults);
  }

  private static List<TensorSpec> specs(
      Map<String, TensorInfo> infos, Map<String, ByteBuffer> defaults) {
    var specs = new ArrayList<TensorSpec>();
    infos.forEach((name, info) -> specs.add(spec(name, info, defaults.containsKey(name))));
    return specs;
  }

  private static TensorSpec spec(String name, TensorInfo info, boolean optional) {
    DataType type = info.composite ? DataType.UNSUPPORTED : TfTypes.type(info.type);
    String nativeType = TfTypes.nativeName(info.type);
    return new TensorSpec(name, type, info.shape, optional, info.name, nativeType);
  }

  private static TensorInfo info(CodedInputStream message) throws IOException {
    var info = new TensorInfo();
    readMessage(
        message,
        (field, in) -> {
          switch (field) {
            case 1 -> info.name = in.readString();
            case 2 -> info.type = in.readEnum();
            case 3 -> readNested(in, nested -> info.shape = shape(nested));
            case 4, 5 -> {
              // Several tensors behind one name.
              info.composite = true;
              return false;
            }
            default -> {
              return false;
            }
          }
          return true;
        });
    return info;
  }

  private static Shape shape(CodedInputStream message) throws IOException {
    var dims = new ArrayList<Long>();
    var unknown = new boolean[1];
    readMessage(
        message,
        (field, in) -> {
          switch (field) {
            case 2 -> readNested(in, nested -> dims.add(dim(nested)));
            case 3 -> unknown[0] = in.readBool();
            default -> {
              return false;
            }
          }
          return true;
        });
    return unknown[0] ? Shape.UNKNOWN : Shape.of(dims.stream().mapToLong(d -> d).toArray());
  }

  private static long dim(CodedInputStream message) throws IOException {
    var size = new long[1];
    readMessage(
        message,
        (field, in) -> {
          if (field == 1) {
            size[0] = Math.max(Shape.ANY, in.readInt64());
          }
          return field == 1;
        });
    return size[0];
  }

  private interface Entry {
    void read(String key, CodedInputStream value) throws IOException;
  }

  private interface Nested {
    void read(CodedInputStream in) throws IOException;
  }

  /** A map's entry, whose key every writer puts before the value. */
  private static boolean readEntry(CodedInputStream in, Entry entry) throws IOException {
    var key = new String[] {""};
    readNested(
        in,
        nested ->
            readMessage(
                nested,
                (field, fields) -> {
                  switch (field) {
                    case 1 -> key[0] = fields.readString();
                    case 2 -> readNested(fields, value -> entry.read(key[0], value));
                    default -> {
                      return false;
                    }
                  }
                  return true;
                }));
    return true;
  }

  private static void readNested(CodedInputStream in, Nested nested) throws IOException {
    int limit = in.pushLimit(in.readRawVarint32());
    nested.read(in);
    in.checkLastTagWas(0);
    in.popLimit(limit);
  }

  private static void readMessage(CodedInputStream in, Message message) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (!message.read(WireFormat.getTagFieldNumber(tag), in)) {
        in.skipField(tag);
      }
    }
  }

  private static ByteBuffer rest(CodedInputStream in) throws IOException {
    byte[] bytes = in.readRawBytes(in.getBytesUntilLimit());
    // Says that the message ended where it should, as after any other.
    in.readTag();
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
