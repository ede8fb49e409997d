package dev.sluice.protocol.oip.http.json;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.oip.DataTypes;
import dev.sluice.protocol.oip.ModelDescription;
import dev.sluice.protocol.oip.OipServer;
import dev.sluice.protocol.oip.RepositoryIndex;
import dev.sluice.tensor.TensorSpec;
import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes everything that is not inference.
 *
 * <p>Member names are Triton's, since clients parse these documents by their own means.
 */
public final class OipMetadataJson {
  private final JsonWriter out = new JsonWriter(256);

  private OipMetadataJson() {}

  /** Returns a body with one key, {@code error}. */
  public static Buffer error(String message) {
    return new JsonWriter(256).raw("{\"error\":").string(message).raw('}').toBuffer();
  }

  /** Returns a body with one key that is true or false. */
  public static Buffer flag(String key, boolean value) {
    return new JsonWriter(64).raw('{').key(key).bool(value).raw('}').toBuffer();
  }

  /** Writes that a model is ready. */
  public static Buffer modelReady(String model) {
    return new JsonWriter(128).raw("{\"name\":").string(model).raw(",\"ready\":true}").toBuffer();
  }

  /** Writes the server's metadata. */
  public static Buffer server(OipServer server) {
    var json = new OipMetadataJson();
    json.out.raw("{\"name\":").string(server.identity().name());
    json.out.raw(",\"version\":").string(server.identity().version());
    json.out.raw(",\"extensions\":");
    json.strings(server.extensions());
    return json.out.raw('}').toBuffer();
  }

  /** Writes the list of models. */
  public static Buffer models(Collection<String> names) {
    var json = new OipMetadataJson();
    json.out.raw("{\"models\":");
    json.strings(names);
    return json.out.raw('}').toBuffer();
  }

  /** Writes a model's metadata. */
  public static Buffer metadata(ModelDescription model) {
    var json = new OipMetadataJson();
    json.out.raw("{\"name\":").string(model.name()).raw(",\"versions\":");
    json.strings(model.versions().stream().map(version -> Long.toString(version)).toList());
    json.out.raw(",\"platform\":").string(model.platform()).raw(",\"inputs\":");
    json.array(model.inputs(), json::tensor);
    json.out.raw(",\"outputs\":");
    json.array(model.outputs(), json::tensor);
    return json.out.raw('}').toBuffer();
  }

  private void tensor(TensorSpec tensor) {
    out.raw("{\"name\":").string(tensor.name());
    out.raw(",\"datatype\":").string(DataTypes.name(tensor)).raw(",\"shape\":");
    dims(tensor.shape().dims());
    out.raw('}');
  }

  /** Writes the index of the repository. */
  public static Buffer index(List<RepositoryIndex.Entry> entries) {
    var json = new OipMetadataJson();
    json.array(entries, json::entry);
    return json.out.toBuffer();
  }

  private void entry(RepositoryIndex.Entry entry) {
    out.raw("{\"name\":").string(entry.name());
    member("version", entry.version());
    member("state", entry.state());
    member("reason", entry.reason());
    out.raw('}');
  }

  private void member(String key, String value) {
    if (!value.isEmpty()) {
      out.raw(',').key(key).string(value);
    }
  }

  private void strings(Collection<String> strings) {
    array(strings, out::string);
  }

  private void dims(long[] dims) {
    out.raw('[');
    for (int i = 0; i < dims.length; i++) {
      out.raw(i == 0 ? "" : ",").number(dims[i]);
    }
    out.raw(']');
  }

  private <T> void array(Collection<T> items, Consumer<T> writeItem) {
    out.raw('[');
    String comma = "";
    for (T item : items) {
      out.raw(comma);
      writeItem.accept(item);
      comma = ",";
    }
    out.raw(']');
  }
}
