package dev.sluice.testing;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A certificate for this machine that nobody but a test trusts, made by the JDK's keytool.
 *
 * @param certificate a PEM file
 * @param key a PEM file
 * @param store both, in the JDK's own form
 */
public record SelfSigned(Path certificate, Path key, KeyStore store) {
  /** Protects nothing: the store is as short-lived as the test. */
  public static final String PASSWORD = "password";

  private static final String EC = "EC -groupname secp256r1";
  private static final String MACHINE = "-dname CN=localhost -ext san=dns:localhost,ip:127.0.0.1";

  /** Makes one, with files in a folder. */
  public static SelfSigned create(Path folder, String name) {
    return create(folder, name, EC, MACHINE);
  }

  /**
   * Makes one for somebody else.
   *
   * @param commonName the subject's only name
   * @param alternatives its further names, such as {@code uri:spiffe://example.org/ops}
   */
  public static SelfSigned createFor(
      Path folder, String name, String commonName, String alternatives) {
    return createWith(folder, name, commonName, "san=" + alternatives);
  }

  /**
   * Makes one for somebody else.
   *
   * @param extension as keytool takes it, such as {@code 2.5.29.17=30:00} for bytes of any kind
   */
  public static SelfSigned createWith(
      Path folder, String name, String commonName, String extension) {
    return create(folder, name, EC, "-dname CN=" + commonName + " -ext " + extension);
  }

  /** Makes one whose key is for RSA, with files in a folder. */
  public static SelfSigned createRsa(Path folder, String name) {
    return create(folder, name, "RSA -keysize 2048", MACHINE);
  }

  /** Makes one that expired a day ago. */
  public static SelfSigned createExpired(Path folder, String name) {
    return create(folder, name, EC, MACHINE + " -startdate -3d");
  }

  private static SelfSigned create(Path folder, String name, String algorithm, String subject) {
    try {
      Path file = folder.resolve(name + ".p12");
      keytool(file, algorithm, subject);
      KeyStore store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD.toCharArray());
      }
      return new SelfSigned(
          pem(
              folder.resolve(name + ".pem"),
              "CERTIFICATE",
              store.getCertificate("own").getEncoded()),
          pem(
              folder.resolve(name + ".key"),
              "PRIVATE KEY",
              store.getKey("own", PASSWORD.toCharArray()).getEncoded()),
          store);
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static void keytool(Path file, String algorithm, String subject) throws IOException {
    String command =
        "-genkeypair -alias own -keyalg "
            + algorithm
            + " -validity 2 "
            + subject
            + " -storetype PKCS12 -storepass "
            + PASSWORD
            + " -keystore "
            + file;
    Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    Process process =
        new ProcessBuilder((keytool + " " + command).split(" "))
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    boolean ended = process.onExit().completeOnTimeout(null, 1, TimeUnit.MINUTES).join() != null;
    process.destroyForcibly();
    if (!ended || process.exitValue() != 0) {
      throw new AssertionError("keytool failed, or has not ended: " + command);
    }
  }

  private static Path pem(Path file, String what, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
  }
}
