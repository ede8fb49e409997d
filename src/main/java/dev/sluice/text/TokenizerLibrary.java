package dev.sluice.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The shared library of Hugging Face's tokenizers. It is loaded from the server's own folder: the
 * binding's loader, which unpacks into a home folder and asks the network for other builds, is
 * never called. A loaded library stays loaded. Any thread.
 */
final class TokenizerLibrary {
  /** The system property that names the folder in which each library has a folder. */
  private static final String DIRECTORY_PROPERTY = "sluice.native.dir";

  private static final String FILE = "tokenizers/" + System.mapLibraryName("tokenizers");

  private TokenizerLibrary() {}

  /** Holds what is loaded once. */
  private static final class Loaded {
    static final TokenizersLibrary FUNCTIONS = load();

    private static TokenizersLibrary load() {
      System.load(file().toAbsolutePath().toString());
      return TokenizersLibrary.LIB;
    }
  }

  /**
   * Returns the functions of the library, loaded.
   *
   * @throws InferenceException with FAILED_PRECONDITION if it is missing or cannot be loaded
   */
  static TokenizersLibrary functions() {
    if (!Files.isRegularFile(file())) {
      throw missing(
          "%s is not there; the system property %s names the folder that holds %s"
              .formatted(file().toAbsolutePath(), DIRECTORY_PROPERTY, FILE));
    }
    try {
      return Loaded.FUNCTIONS;
    } catch (LinkageError e) {
      throw missing(file().toAbsolutePath() + " cannot be loaded: " + e.getMessage());
    }
  }

  private static Path file() {
    return Path.of(System.getProperty(DIRECTORY_PROPERTY, ""), FILE);
  }

  private static InferenceException missing(String text) {
    return new InferenceException(ErrorCode.FAILED_PRECONDITION, text);
  }
}
