package dev.sluice.text.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointerFragmentTest {
  /** Those with characters by their bytes are examples of RFC 6901, section 6. */
  @ParameterizedTest
  @CsvSource({
    "#, ''",
    "#/foo/0, /foo/0",
    "#/a~1b, /a~1b",
    "#/c%25d, /c%d",
    "#/e%5Ef, /e^f",
    "#/k%22l, /k\"l",
    "#/%20, '/ '",
    "#/%C3%A9, /é",
    "#/a+b, /a+b",
    "#%2Fa, /a"
  })
  void aFragmentIsReadByTheRulesOfUris(String reference, String pointer) {
    assertThat(PointerFragment.pointer(reference)).hasValue(pointer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a", "a#/b", "#a", "#/a%", "#/%zz", "http://other#/a"})
  void whatIsNoPlaceInTheSchemaHasNoPointer(String reference) {
    assertThat(PointerFragment.pointer(reference)).isEmpty();
  }
}
