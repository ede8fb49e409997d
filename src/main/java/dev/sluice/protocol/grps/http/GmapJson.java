package dev.sluice.protocol.grps.http;

import dev.sluice.protocol.codec.JsonWriter;
import dev.sluice.protocol.grps.ElementConversion;
import dev.sluice.protocol.grps.MapKind;
import dev.sluice.protocol.grps.ResponseForm;
import dev.sluice.tensor.BytesElements;
import dev.sluice.tensor.NamedTensor;
import java.util.List;

/** Writes tensors of one element as the maps of {@code gmap}. */
final class GmapJson {
  private GmapJson() {}

  static void entries(ResponseForm.Entries entries, JsonWriter out) {
    String betweenMaps = "";
    for (MapKind kind : MapKind.values()) {
      List<NamedTensor> members =
          entries.entries().stream()
              .filter(entry -> entry.kind() == kind)
              .map(ResponseForm.Entry::value)
              .toList();
      if (!members.isEmpty()) {
        out.raw(betweenMaps).key(kind.field());
        map(kind, members, out);
        betweenMaps = ",";
      }
    }
  }

  private static void map(MapKind kind, List<NamedTensor> members, JsonWriter out) {
    String separator = "{";
    for (NamedTensor member : members) {
      out.raw(separator).key(member.name());
      value(kind, member, out);
      separator = ",";
    }
    out.raw('}');
  }

  private static void value(MapKind kind, NamedTensor member, JsonWriter out) {
    switch (kind) {
      case TEXT -> {
        BytesElements element = first(member);
        out.string(element.data(), element.offset(), element.length());
      }
      case BYTES -> out.base64(first(member).toArray());
      case INT32 -> out.number(ElementConversion.integer(member.tensor(), 0));
      case INT64 -> out.raw('"').number(ElementConversion.int64(member, 0)).raw('"');
      case SINGLE -> TensorJson.single(out, ElementConversion.single(member.tensor(), 0));
      case DOUBLE -> TensorJson.wide(out, ElementConversion.wide(member.tensor(), 0));
    }
  }

  private static BytesElements first(NamedTensor member) {
    var element = new BytesElements(member.tensor());
    element.next();
    return element;
  }
}
