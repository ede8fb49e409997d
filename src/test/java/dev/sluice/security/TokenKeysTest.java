package dev.sluice.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.testing.SelfSigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenKeysTest {
  private static String pem(String algorithm, int bits) throws NoSuchAlgorithmException {
    var generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(bits);
    return "-----BEGIN PUBLIC KEY-----\n"
        + Base64.getMimeEncoder()
            .encodeToString(generator.generateKeyPair().getPublic().getEncoded())
        + "\n-----END PUBLIC KEY-----\n";
  }

  @Test
  void pemHoldsKeysAndCertificates(@TempDir Path folder) throws Exception {
    String text =
        pem("RSA", 2048)
            + pem("EC", 256)
            + Files.readString(SelfSigned.create(folder, "server").certificate());
    assertThat(TokenKeys.parse("file", text).keys().size()).isEqualTo(3);
  }

  @Test
  void onlyPublicPartsAreKept() {
    Issuer issuer = Issuer.of("a");
    String text = "{\"keys\":[" + issuer.key().toJSONString() + "]}";
    assertThat(TokenKeys.parse("file", text).keys().containsNonPublicKeys()).isFalse();
  }

  @Test
  void aKeyThatIsNotForVerifyingIsNoKey() {
    String key = Issuer.of("a").key().toPublicJWK().toJSONString();
    String text = key.replaceFirst("\\{", "{\"key_ops\":[\"encrypt\"],");
    assertThatThrownBy(() -> TokenKeys.parse("file", "{\"keys\":[" + text + "]}"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("no public key");
    String verify = text.replace("encrypt", "verify");
    assertThat(TokenKeys.parse("file", "{\"keys\":[" + verify + "]}").keys().size()).isOne();
  }

  @Test
  void aShortKeyIsNoKey() throws NoSuchAlgorithmException {
    String text = pem("RSA", 1024);
    assertThatThrownBy(() -> TokenKeys.parse("file", text))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("2048 bits");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{}",
        "{\"keys\":[]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]}",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
      })
  void whatHoldsNoPublicKeyIsRefused(String text) throws IOException {
    assertThatThrownBy(() -> TokenKeys.parse("file", text))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("file: holds no");
  }
}
