package dev.sluice.runtime.tensorflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.CHeader;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TfFunctionTest {
  private static final List<CHeader.Declaration> HEADER = CHeader.tensorFlow();

  @ParameterizedTest
  @EnumSource
  void isWhatTheHeaderDeclares(TfFunction function) {
    assertThat(HEADER)
        .contains(new CHeader.Declaration(function.declaredName(), function.signature()));
  }
}
