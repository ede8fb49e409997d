package dev.sluice.runtime.onnx;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.runtime.ModelSession;
import dev.sluice.runtime.ModelSource;
import dev.sluice.runtime.RuntimeProvider;
import dev.sluice.runtime.onnx.graph.ModelInspection;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Opens {@code model.onnx} files, a merged decoder as Optimum names it beside its parts, or
 * whatever the only ONNX file of a folder is called.
 *
 * <p>A model is recognised by its file's name alone; nothing is read before it is loaded.
 */
public final class OnnxRuntimeProvider implements RuntimeProvider {
  private static final String FILE = "model.onnx";
  private static final List<String> USUAL = List.of(FILE, "decoder_model_merged.onnx");
  private static final String SUFFIX = ".onnx";

  private final long memoryLimit;

  /** Opens sessions that take any memory. */
  public OnnxRuntimeProvider() {
    this(0);
  }

  /**
   * Opens sessions whose memory has a limit.
   *
   * @param memoryLimit bytes that all of them may take together in runs; 0: any number
   */
  public OnnxRuntimeProvider(long memoryLimit) {
    this.memoryLimit = memoryLimit;
  }

  @Override
  public String name() {
    return "onnx";
  }

  @Override
  public boolean recognises(Path folder) {
    return Files.isRegularFile(modelFile(folder));
  }

  @Override
  public ModelSession open(ModelSource source) {
    OrtLibrary.load();
    Path file = modelFile(source.folder());
    try {
      return OnnxSession.open(
          file, source.settings().onnx(), ModelInspection.check(file), memoryLimit);
    } catch (InferenceException e) {
      throw new InferenceException(
          ErrorCode.INTERNAL,
          "model " + source.id() + ": cannot open " + file + ": " + e.getMessage(),
          e);
    }
  }

  private static Path modelFile(Path folder) {
    boolean isFile = String.valueOf(folder.getFileName()).endsWith(SUFFIX);
    if (isFile && !Files.isDirectory(folder)) {
      return folder;
    }
    return USUAL.stream()
        .map(folder::resolve)
        .filter(Files::exists)
        .findFirst()
        .or(() -> onlyFile(folder))
        .orElse(folder.resolve(FILE));
  }

  /** Empty if there are several, since the choice would be ambiguous. */
  private static Optional<Path> onlyFile(Path folder) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, "[!.]*" + SUFFIX)) {
      stream.forEach(files::add);
    } catch (IOException | DirectoryIteratorException _) {
      return Optional.empty();
    }
    return files.size() == 1 ? Optional.of(files.getFirst()) : Optional.empty();
  }
}
