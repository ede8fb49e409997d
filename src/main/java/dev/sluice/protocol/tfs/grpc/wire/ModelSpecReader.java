package dev.sluice.protocol.tfs.grpc.wire;

import static dev.sluice.protocol.codec.protobuf.ProtobufTag.DELIMITED;
import static dev.sluice.protocol.codec.protobuf.ProtobufTag.VARINT;

import com.google.protobuf.Int64Value;
import dev.sluice.inference.ModelSelector;
import dev.sluice.protocol.codec.protobuf.ProtobufReader;
import dev.sluice.protocol.tfs.grpc.proto.ModelSpec;
import dev.sluice.transport.Body;
import org.jspecify.annotations.Nullable;

/** Puts a ModelSpec together from its fields; of a field that is there twice, the last counts. */
public final class ModelSpecReader {
  private static final int NAME = ModelSpec.NAME_FIELD_NUMBER << 3 | DELIMITED;
  private static final int VERSION = ModelSpec.VERSION_FIELD_NUMBER << 3 | DELIMITED;
  private static final int SIGNATURE_NAME = ModelSpec.SIGNATURE_NAME_FIELD_NUMBER << 3 | DELIMITED;
  private static final int VERSION_LABEL = ModelSpec.VERSION_LABEL_FIELD_NUMBER << 3 | DELIMITED;
  private static final int VALUE = Int64Value.VALUE_FIELD_NUMBER << 3 | VARINT;

  private boolean present;
  private String name = "";
  private String signature = "";
  private @Nullable String label;
  private @Nullable Long version;

  /** Takes the fields of one message. A second one is merged into the first. */
  public void add(Body spec) {
    present = true;
    var reader = new ProtobufReader(spec);
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      switch (tag) {
        case NAME -> name = reader.text();
        case SIGNATURE_NAME -> signature = reader.text();
        case VERSION -> {
          version = value(reader.bytes());
          label = null;
        }
        case VERSION_LABEL -> {
          label = reader.text();
          version = null;
        }
        default -> reader.skip(tag);
      }
    }
  }

  /**
   * Returns the selector that the fields say.
   *
   * @throws dev.sluice.inference.InferenceException if they name no model
   */
  public RequestedModel get() {
    if (!present) {
      throw RequestedModel.missing();
    }
    return new RequestedModel(selector(), signature);
  }

  /** Returns the model's name. */
  public String name() {
    return name;
  }

  /** Returns the name of the signature. */
  public String signature() {
    return signature;
  }

  private ModelSelector selector() {
    if (version != null) {
      return new ModelSelector.Version(name, version);
    }
    return label != null ? new ModelSelector.Label(name, label) : new ModelSelector.Latest(name);
  }

  /** Reads an Int64Value. */
  private static long value(Body wrapper) {
    var reader = new ProtobufReader(wrapper);
    long value = 0;
    for (int tag = reader.tag(); tag != 0; tag = reader.tag()) {
      if (tag == VALUE) {
        value = reader.varint();
      } else {
        reader.skip(tag);
      }
    }
    return value;
  }
}
