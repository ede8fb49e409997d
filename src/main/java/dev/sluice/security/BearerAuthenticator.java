package dev.sluice.security;

import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recognises what a request carries to show who sends it: an API key in {@code X-API-Key}, or a key
 * or a JSON Web Token in {@code Authorization: Bearer}.
 */
final class BearerAuthenticator implements Authenticator {
  private static final String AUTHORIZATION = "authorization";
  private static final String API_KEY = "x-api-key";
  private static final String SCHEME = "Bearer ";

  private final Optional<ApiKeys> keys;
  private final Optional<JsonWebTokens> tokens;

  /** At least one of them is there. */
  BearerAuthenticator(Optional<ApiKeys> keys, Optional<JsonWebTokens> tokens) {
    this.keys = keys;
    this.tokens = tokens;
  }

  @Override
  public Optional<Identity> identify(Credentials presented) {
    // A header that means nothing here is for another recipient.
    String key = keys.isEmpty() ? null : presented.header(API_KEY);
    String authorization = presented.header(AUTHORIZATION);
    if (key == null && authorization == null) {
      return Optional.empty();
    }
    if (key != null && authorization != null) {
      throw refusal("the request has both X-API-Key and Authorization; wanted one of them");
    }
    return Optional.of(key != null ? ofKey(key) : ofToken(token(authorization)));
  }

  private Identity ofKey(String key) {
    return keys.flatMap(known -> known.find(key))
        .orElseThrow(() -> refusal("the API key is not known"));
  }

  private Identity ofToken(String token) {
    if (tokens.isPresent() && (keys.isEmpty() || JsonWebTokens.isToken(token))) {
      return tokens.get().identify(token);
    }
    return ofKey(token);
  }

  private static String token(@Nullable String authorization) {
    if (authorization == null
        || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw refusal("the header Authorization has another scheme; wanted Bearer");
    }
    return authorization.substring(SCHEME.length()).strip();
  }

  /** Returns a credential that is not valid. The text must not show it. */
  static InferenceException refusal(String text) {
    return new InferenceException(ErrorCode.UNAUTHENTICATED, text);
  }
}
