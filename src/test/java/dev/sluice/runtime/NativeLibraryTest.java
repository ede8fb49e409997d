package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {
  @Test
  void aMissingLibraryIsNamedTogetherWithTheSettingThatFindsIt() {
    assertThatThrownBy(() -> NativeLibrary.load("nowhere/libnothing.so"))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("nowhere/libnothing.so is not there")
        .hasMessageContaining(NativeLibrary.DIRECTORY_PROPERTY);
  }

  @Test
  void aLibraryThatCannotBeLoadedIsRefusedWithTheReasonOfTheSystem(@TempDir Path folder)
      throws IOException {
    Path library = folder.resolve("libtext.so");
    Files.writeString(library, "text where a library was expected ".repeat(9));
    assertThatThrownBy(() -> NativeLibrary.load(library.toString()))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("libtext.so cannot be loaded: ")
        .hasMessageContaining("invalid ELF header");
  }
}
