package dev.sluice.transport.grpc.message;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.sluice.transport.Body;
import java.io.IOException;
import java.util.List;

/**
 * Finds the field within which the first bytes of a message end: in a large message it is the one
 * that is large.
 */
public final class PartialFieldLocator {
  private static final int NONE = -1;

  private PartialFieldLocator() {}

  /**
   * Returns the offset of that field's bytes in the message; negative if it is none that a path
   * leads to, or if it is unknown.
   *
   * @param beginning the message's first bytes, in an array
   * @param paths each the tags of the fields from the message to a wanted one
   */
  static int find(Body beginning, List<int[]> paths) {
    int found = NONE;
    for (int i = 0; i < paths.size() && found == NONE; i++) {
      found = find(beginning, paths.get(i));
    }
    return found;
  }

  private static int find(Body beginning, int[] path) {
    try {
      return find(
          CodedInputStream.newInstance(beginning.bytes(), beginning.offset(), beginning.length()),
          beginning.length(),
          path);
    } catch (IOException e) {
      // They end in a number or between two fields, or are no message. The reader reports the
      // error.
      return NONE;
    }
  }

  private static int find(CodedInputStream in, int available, int[] path) throws IOException {
    int depth = 0;
    while (depth < path.length) {
      int tag = in.readTag();
      if (tag == 0) {
        return NONE;
      }
      if (WireFormat.getTagWireType(tag) != WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        in.skipField(tag);
        continue;
      }
      long length = Integer.toUnsignedLong(in.readRawVarint32());
      if (length <= available - in.getTotalBytesRead()) {
        in.skipRawBytes((int) length);
      } else if (tag == path[depth]) {
        depth++;
      } else {
        return NONE;
      }
    }
    return path.length == 0 ? NONE : in.getTotalBytesRead();
  }
}
