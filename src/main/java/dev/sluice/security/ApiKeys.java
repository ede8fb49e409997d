package dev.sluice.security;

import dev.sluice.config.security.ApiKey;
import dev.sluice.config.security.ApiKeysConfig;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The API keys that are valid now. Any thread.
 *
 * <p>Only digests are kept, and compared in constant time.
 */
final class ApiKeys {
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Known(byte[] sha256, Identity identity) {
    static Known of(ApiKey key) {
      return new Known(
          HexFormat.of().parseHex(key.sha256()), Identity.authenticated("key:" + key.name()));
    }
  }

  private final List<Known> written;
  private final Supplier<List<Known>> inFile;

  private ApiKeys(List<Known> written, Supplier<List<Known>> inFile) {
    this.written = written;
    this.inFile = inFile;
  }

  /**
   * Begins with the keys of the settings and of their file. Blocks on the file system.
   *
   * @param files keeps reading the file
   */
  static ApiKeys of(ApiKeysConfig config, ReloadedFiles files) {
    Supplier<List<Known>> inFile =
        config
            .file()
            .<Supplier<List<Known>>>map(
                file -> files.keep(file, text -> known(ApiKeysConfig.parse(file, text))))
            .orElse(List::of);
    return new ApiKeys(known(config.keys()), inFile);
  }

  private static List<Known> known(List<ApiKey> keys) {
    return keys.stream().map(Known::of).toList();
  }

  /**
   * Finds who has a key. Takes the same time whichever it is: every hash is compared, and each to
   * its end.
   */
  Optional<Identity> find(String key) {
    byte[] hash = ApiKey.hash(key);
    Identity found = find(inFile.get(), hash, find(written, hash, null));
    return Optional.ofNullable(found);
  }

  private static @Nullable Identity find(
      List<Known> keys, byte[] hash, @Nullable Identity otherwise) {
    Identity found = otherwise;
    for (Known known : keys) {
      if (MessageDigest.isEqual(known.sha256, hash)) {
        found = known.identity;
      }
    }
    return found;
  }
}
