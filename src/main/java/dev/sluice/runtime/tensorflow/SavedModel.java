package dev.sluice.runtime.tensorflow;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.protobuf.CodedOutputStream;
import dev.sluice.config.model.TensorflowConfig;
import dev.sluice.inference.Signature;
import dev.sluice.runtime.NativeMemory;
import dev.sluice.tensor.TensorSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A loaded model's native graph and session, and the signatures that came with them.
 *
 * <p>Blocks while it is loaded. Frozen after that: sessions share it, and the last to be closed
 * frees graph and session.
 */
final class SavedModel implements AutoCloseable {
  /** The name by which SavedModels of TensorFlow 2 have the operation that initializes them. */
  private static final String INITIALIZATION = "__saved_model_init_op";

  private static final int INTRA_OP_FIELD = 2;
  private static final int INTER_OP_FIELD = 5;

  private static final int GRAPH_OPTIONS_FIELD = 10;

  /** GraphOptions.rewrite_options.auto_mixed_precision_onednn_bfloat16: ON. */
  private static final byte[] ONEDNN_BFLOAT16 = {(10 << 3) | 2, 3, (byte) 0xF8, 1, 1};

  private final long graph;
  private final long session;
  private final Map<String, Signature> signatures;
  private final boolean changesVariables;

  /** Reference count: sessions that use it; the last one that closes frees it. */
  private final AtomicInteger users = new AtomicInteger(1);

  private SavedModel(
      long graph, long session, Map<String, Signature> signatures, boolean changesVariables) {
    this.graph = graph;
    this.session = session;
    this.signatures = signatures;
    this.changesVariables = changesVariables;
  }

  /** Loads the meta graph that has the configured tags, with its variables. */
  static SavedModel load(Path folder, TensorflowConfig config, TfStatus status) {
    long options = TfApi.newSessionOptions();
    long metaGraph = TfApi.newBuffer();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, proto(config));
      TfApi.setConfig(options, bytes.address(), bytes.byteSize(), status.handle());
      status.check();
      return load(folder, config.tags(), options, metaGraph, status, arena);
    } finally {
      TfApi.deleteBuffer(metaGraph);
      TfApi.deleteSessionOptions(options);
    }
  }

  private static SavedModel load(
      Path folder, List<String> tags, long options, long metaGraph, TfStatus status, Arena arena) {
    long graph = TfApi.newGraph();
    long session =
        TfApi.loadSessionFromSavedModel(
            options,
            arena.allocateFrom(folder.toAbsolutePath().toString()).address(),
            textArray(tags, arena).address(),
            tags.size(),
            graph,
            metaGraph,
            status.handle());
    try {
      status.check();
      DeclaredVariables.require(folder, contents(metaGraph));
      Map<String, Signature> signatures = SignatureReader.read(contents(metaGraph));
      boolean changes = ChangedVariables.areIn(contents(metaGraph), outputs(signatures));
      return new SavedModel(graph, session, signatures, changes);
    } catch (RuntimeException e) {
      delete(graph, session, status);
      throw e;
    }
  }

  /** Returns what clients may ask for: an initialization has no output that has a type. */
  private static List<String> outputs(Map<String, Signature> signatures) {
    return signatures.values().stream()
        .filter(signature -> !signature.name().equals(INITIALIZATION))
        .flatMap(signature -> signature.outputs().stream())
        .map(TensorSpec::nativeName)
        .toList();
  }

  private static MemorySegment textArray(List<String> texts, Arena arena) {
    MemorySegment array = arena.allocate(JAVA_LONG, texts.size());
    for (int i = 0; i < texts.size(); i++) {
      array.setAtIndex(JAVA_LONG, i, arena.allocateFrom(texts.get(i)).address());
    }
    return array;
  }

  /** Returns the contents of a TF_Buffer, which begins with their address and length. */
  private static ByteBuffer contents(long buffer) {
    long data = NativeMemory.getLong(buffer);
    long length = NativeMemory.getLong(buffer + Long.BYTES);
    return NativeMemory.at(data, length).asByteBuffer();
  }

  /** Returns a serialized ConfigProto. */
  private static byte[] proto(TensorflowConfig config) {
    // Of a field that comes twice the last one counts; messages are merged.
    var bytes = new ByteArrayOutputStream();
    try {
      CodedOutputStream out = CodedOutputStream.newInstance(bytes);
      out.writeRawBytes(config.sessionOptions().serialized());
      if (config.mixedPrecision()) {
        out.writeByteArray(GRAPH_OPTIONS_FIELD, ONEDNN_BFLOAT16);
      }
      out.writeInt32(INTRA_OP_FIELD, config.intraOpThreads());
      out.writeInt32(INTER_OP_FIELD, config.interOpThreads());
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Takes the same model for one more session, which closes it too.
   *
   * @return false if the last one has closed it
   */
  boolean tryShare() {
    return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
  }

  long graph() {
    return graph;
  }

  long session() {
    return session;
  }

  /** Returns whether a run may change what another one reads. */
  boolean changesVariables() {
    return changesVariables;
  }

  Map<String, Signature> signatures() {
    return signatures;
  }

  @Override
  public void close() {
    if (users.decrementAndGet() > 0) {
      return;
    }
    try (var status = new TfStatus()) {
      delete(graph, session, status);
    }
  }

  private static void delete(long graph, long session, TfStatus status) {
    // The status has no effect: the session is closed in any case.
    if (session != 0) {
      TfApi.closeSession(session, status.handle());
      TfApi.deleteSession(session, status.handle());
    }
    TfApi.deleteGraph(graph);
  }
}
