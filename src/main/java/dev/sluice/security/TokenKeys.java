package dev.sluice.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.RSAKey;
import dev.sluice.config.binding.ConfigException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The public keys by which tokens may be signed. Immutable; any thread.
 *
 * @param keys RSA keys of 2048 bits at least, and those of elliptic curves
 */
record TokenKeys(JWKSet keys) {
  static final TokenKeys NONE = new TokenKeys(new JWKSet());

  private static final int FEWEST_BITS = 2048;

  private static final Pattern PEM =
      Pattern.compile("-----BEGIN (PUBLIC KEY|CERTIFICATE)-----([^-]+)-----END \\1-----");

  /**
   * Reads the two forms of key files.
   *
   * @param origin for texts
   * @throws ConfigException if it holds no key that can be used
   */
  static TokenKeys parse(String origin, String text) {
    try {
      List<JWK> keys = text.strip().startsWith("{") ? JWKSet.parse(text).getKeys() : pem(text);
      List<JWK> usable = keys.stream().filter(TokenKeys::isUsable).toList();
      if (usable.isEmpty()) {
        throw new ConfigException(
            origin
                + ": holds no public key of RSA with 2048 bits or more, or of an elliptic curve");
      }
      return new TokenKeys(new JWKSet(usable).toPublicJWKSet());
    } catch (ParseException
        | GeneralSecurityException
        | IllegalArgumentException
        | IllegalStateException e) {
      // The library finds points that are not on their curve as it builds a key.
      throw new ConfigException(origin + ": holds no keys that can be read; wanted PEM or JWKS");
    }
  }

  private static boolean isUsable(JWK key) {
    if (key.getKeyOperations() != null && !key.getKeyOperations().contains(KeyOperation.VERIFY)) {
      return false;
    }
    return switch (key) {
      case RSAKey rsa -> bits(rsa) >= FEWEST_BITS;
      case ECKey _ -> true;
      default -> false;
    };
  }

  private static int bits(RSAKey key) {
    try {
      return key.toRSAPublicKey().getModulus().bitLength();
    } catch (JOSEException e) {
      return 0;
    }
  }

  private static List<JWK> pem(String text) throws GeneralSecurityException {
    List<JWK> keys = new ArrayList<>();
    for (var block : PEM.matcher(text).results().toList()) {
      byte[] der =
          Base64.getMimeDecoder().decode(block.group(2).getBytes(StandardCharsets.US_ASCII));
      keys.add(jwk(block.group(1).equals("CERTIFICATE") ? ofCertificate(der) : publicKey(der)));
    }
    return keys;
  }

  private static PublicKey ofCertificate(byte[] der) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(new ByteArrayInputStream(der))
        .getPublicKey();
  }

  private static PublicKey publicKey(byte[] der) throws GeneralSecurityException {
    var spec = new X509EncodedKeySpec(der);
    try {
      return KeyFactory.getInstance("RSA").generatePublic(spec);
    } catch (InvalidKeySpecException _) {
      return KeyFactory.getInstance("EC").generatePublic(spec);
    }
  }

  private static JWK jwk(PublicKey key) {
    return switch (key) {
      case RSAPublicKey rsa -> new RSAKey.Builder(rsa).build();
      case ECPublicKey ec ->
          new ECKey.Builder(Curve.forECParameterSpec(ec.getParams()), ec).build();
      default -> throw new IllegalArgumentException(key.getAlgorithm());
    };
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  /** Returns whether a token that names its key can be looked at with these. */
  boolean has(String keyId) {
    return keys.getKeyByKeyId(keyId) != null
        || keys.getKeys().stream().allMatch(key -> key.getKeyID() == null);
  }
}
