package dev.sluice.config.compat.tfs;

import dev.sluice.config.binding.ConfigException;
import dev.sluice.config.binding.ProtoFields;
import dev.sluice.config.binding.SettingsFile;
import dev.sluice.config.binding.TextProto;
import dev.sluice.config.security.Pem;
import dev.sluice.config.security.TlsConfig;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads an SSL config file of TensorFlow Serving: its message {@code SSLConfig} as text, which
 * holds certificates and key themselves.
 */
public final class TensorflowSslFile {
  private static final Set<String> KNOWN =
      Set.of("server_key", "server_cert", "custom_ca", "client_verify");

  private TensorflowSslFile() {}

  /**
   * Returns the encryption of the gRPC port.
   *
   * @param warnings receives once the fields that have no meaning here
   * @throws ConfigException if it is not in the format, or lacks what encryption needs
   */
  public static TlsConfig read(Path file, Consumer<String> warnings) {
    String name = file.toString();
    var ssl = new ProtoFields(name, TextProto.read(name, SettingsFile.read(file)));
    ssl.warnOfUnknown(KNOWN, warnings);
    boolean verify = ssl.flag("client_verify").orElse(false);
    return new TlsConfig(
        pem(ssl, "server_cert"),
        pem(ssl, "server_key"),
        verify ? Optional.of(pem(ssl, "custom_ca")) : Optional.empty());
  }

  private static Pem pem(ProtoFields ssl, String field) {
    return ssl.text(field)
        .filter(text -> !text.isBlank())
        .map(text -> new Pem.Written(ssl.file() + ": " + field, text))
        .orElseThrow(() -> new ConfigException(ssl.file() + ": has no " + field + "; wanted PEM"));
  }
}
