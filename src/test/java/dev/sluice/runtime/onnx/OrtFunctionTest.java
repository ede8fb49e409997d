package dev.sluice.runtime.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.CHeader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OrtFunctionTest {
  private static final List<CHeader.Declaration> HEADER = CHeader.onnxRuntime();

  @ParameterizedTest
  @EnumSource
  void isWhatTheHeaderDeclaresAtItsPlace(OrtFunction function) {
    assertThat(HEADER.get(function.place()))
        .isEqualTo(new CHeader.Declaration(function.declaredName(), function.signature()));
  }

  @Test
  void headerIsReadWhole() {
    assertThat(HEADER).hasSize(415).extracting(CHeader.Declaration::name).doesNotHaveDuplicates();
    assertThat(HEADER.getFirst().name()).isEqualTo("CreateStatus");
  }
}
