package dev.sluice.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.InputBytes;
import dev.sluice.fuzz.Rejection;

/**
 * JSON Web Tokens. Behind a 0 the bytes are a token: only the issuer's key, which is another one in
 * each process, makes tokens that name anybody. Behind a 1 they are claims, which the issuer signs.
 */
final class JsonWebTokenFuzz implements FuzzTarget {
  private final Issuer issuer = Issuer.of("first");
  private final TokenKeys keys = TokenKeys.parse("test", Issuer.jwks(issuer));
  private final JWSSigner signer = new ECDSASigner(issuer.key());
  private final JsonWebTokens tokens =
      new JsonWebTokens(Issuer.CONFIG, TokenKeySource.of(() -> keys), () -> Issuer.NOW);

  JsonWebTokenFuzz() throws JOSEException {}

  @Override
  public void accept(byte[] input) throws JOSEException {
    var bytes = new InputBytes(input);
    boolean signed = bytes.below(2) == 1;
    String token = signed ? signed(bytes.rest()) : bytes.text();
    Identity identity = Rejection.request(() -> tokens.identify(token));
    if (identity != null && (!signed || !identity.name().startsWith("jwt:"))) {
      throw new AssertionError(token + " names " + identity);
    }
  }

  private String signed(byte[] claims) throws JOSEException {
    var header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("first").build();
    var token = new JWSObject(header, new Payload(claims));
    token.sign(signer);
    return token.serialize();
  }
}
