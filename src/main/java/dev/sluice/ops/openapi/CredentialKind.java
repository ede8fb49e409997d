package dev.sluice.ops.openapi;

import io.vertx.core.json.JsonObject;

/** A kind of credential that a listener looks for, as a security scheme of OpenAPI. */
public enum CredentialKind {
  API_KEY("apiKey"),
  /** An API key or a JSON Web Token. */
  BEARER("bearer"),
  CERTIFICATE("clientCertificate");

  private final String key;

  CredentialKind(String key) {
    this.key = key;
  }

  /** Returns the name of the scheme in a document. */
  String key() {
    return key;
  }

  /** Returns the scheme, anew. */
  JsonObject scheme() {
    var scheme = new JsonObject();
    return switch (this) {
      case API_KEY -> scheme.put("type", "apiKey").put("in", "header").put("name", "X-API-Key");
      case BEARER -> scheme.put("type", "http").put("scheme", "bearer");
      case CERTIFICATE -> scheme.put("type", "mutualTLS");
    };
  }
}
