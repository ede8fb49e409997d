package dev.sluice.protocol.grps.http;

import dev.sluice.inference.InferenceException;
import dev.sluice.protocol.codec.JsonCursor;
import dev.sluice.protocol.codec.JsonCursor.Kind;
import dev.sluice.protocol.grps.GrpsType;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a tensor in JSON, and the positions of its lists of values.
 *
 * <p>Keys may come in any order in JSON, so a tensor is looked through once before its values are
 * read.
 */
final class TensorKeys {
  /** More dimensions than any runtime takes. */
  private static final int MAX_RANK = 100;

  /** Dimensions are unsigned 32-bit numbers on the wire. */
  private static final long MAX_DIM = 0xFFFF_FFFFL;

  /** By the number of the type. */
  private final int[] lists = new int[GrpsType.all().size() + 1];

  private final String place;

  /** The key of the list that has values; empty if none has. */
  private String filled = "";

  private String name = "";
  private @Nullable GrpsType type;
  private long[] dims = new long[0];

  private TensorKeys(String place) {
    this.place = place;
    Arrays.fill(lists, -1);
  }

  /** Looks through the tensor that comes next. */
  static TensorKeys scan(JsonCursor in, String place) {
    GrpsJson.requireObject(in, place);
    var keys = new TensorKeys(place);
    in.beginObject();
    while (in.nextKey()) {
      if (GrpsJson.isPresent(in)) {
        keys.readKey(in);
      } else {
        in.skipValue();
      }
    }
    return keys;
  }

  /** Returns the tensor's name; empty if it has none. */
  String name() {
    return name;
  }

  /** Returns the tensor's type, or null if it says none. */
  @Nullable GrpsType type() {
    return type;
  }

  long[] dims() {
    return dims;
  }

  /** Returns the position of the list of a type's values; -1 if there is none. */
  int list(GrpsType of) {
    return lists[of.number()];
  }

  private void readKey(JsonCursor in) {
    if (in.keyIs("name")) {
      name = GrpsJson.text(in, place + ".name");
    } else if (in.keyIs("dtype")) {
      type = readType(in);
    } else if (in.keyIs("shape")) {
      dims = readShape(in);
    } else {
      noteList(in);
      in.skipValue();
    }
  }

  private void noteList(JsonCursor in) {
    for (GrpsType candidate : GrpsType.all()) {
      if (GrpsJson.keyIs(in, candidate.list(), candidate.camelCaseList())) {
        note(in, candidate);
        return;
      }
    }
    // The name that grps' own documentation has for it; its servers lose the values silently.
    if (GrpsJson.keyIs(in, "flat_double", "flatDouble")) {
      note(in, GrpsType.FLOAT64);
    }
  }

  private void note(JsonCursor in, GrpsType of) {
    String key = in.key();
    GrpsJson.requireArray(in, place + "." + of.list());
    int from = in.position();
    if (hasValues(in)) {
      requireOnly(key);
      lists[of.number()] = from;
    } else if (lists[of.number()] < 0) {
      lists[of.number()] = from;
    }
    in.seek(from);
  }

  private static boolean hasValues(JsonCursor in) {
    in.beginArray();
    return in.nextElement();
  }

  /**
   * Requires that no other list has values: some of them would be lost. Clients that write what is
   * empty send all lists.
   */
  private void requireOnly(String key) {
    if (!filled.isEmpty()) {
      throw InferenceException.invalid(
          "%s has values in %s and in %s; wanted one list".formatted(place, filled, key));
    }
    filled = key;
  }

  /** Returns the type, or null for DT_INVALID, which is as good as absent. */
  private @Nullable GrpsType readType(JsonCursor in) {
    int before = in.position();
    boolean named = in.peek() == Kind.STRING;
    String wanted = named ? in.string().toText() : "";
    OptionalLong number = named ? OptionalLong.empty() : GrpsValueReader.integer(in);
    if (wanted.equals("DT_INVALID") || number.equals(OptionalLong.of(0))) {
      return null;
    }
    for (GrpsType candidate : GrpsType.all()) {
      if (candidate.wireName().equals(wanted)
          || number.equals(OptionalLong.of(candidate.number()))) {
        return candidate;
      }
    }
    in.seek(before);
    throw GrpsJson.wrong(in, place + ".dtype", "a name such as DT_FLOAT32, or its number");
  }

  private long[] readShape(JsonCursor in) {
    GrpsJson.requireArray(in, place + ".shape");
    long[] read = new long[4];
    int rank = 0;
    in.beginArray();
    while (in.nextElement()) {
      if (rank == MAX_RANK) {
        throw InferenceException.invalid(
            place + ".shape: got more than " + MAX_RANK + " dimensions");
      }
      if (rank == read.length) {
        read = Arrays.copyOf(read, rank * 2);
      }
      read[rank] = readDim(in, rank);
      rank++;
    }
    return Arrays.copyOf(read, rank);
  }

  private long readDim(JsonCursor in, int index) {
    int before = in.position();
    OptionalLong dim = GrpsValueReader.integer(in);
    if (dim.isEmpty() || dim.getAsLong() < 0 || dim.getAsLong() > MAX_DIM) {
      in.seek(before);
      throw GrpsJson.wrong(
          in, place + ".shape[" + index + "]", "a whole number from 0 to " + MAX_DIM);
    }
    return dim.getAsLong();
  }
}
