package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.inference.InferenceException;
import org.junit.jupiter.api.Test;

class NativeLibraryTest {
  @Test
  void aMissingLibraryIsNamedTogetherWithTheSettingThatFindsIt() {
    assertThatThrownBy(() -> NativeLibrary.load("nowhere/libnothing.so"))
        .isInstanceOf(InferenceException.class)
        .hasMessageContaining("nowhere/libnothing.so is not there")
        .hasMessageContaining(NativeLibrary.DIRECTORY_PROPERTY);
  }
}
