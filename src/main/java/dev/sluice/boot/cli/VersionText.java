package dev.sluice.boot.cli;

import picocli.CommandLine.IVersionProvider;

/** Formats the output of {@code --version}. */
public final class VersionText implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "sluice " + number(),
      "Java " + System.getProperty("java.vm.version"),
      System.getProperty("os.name") + " " + System.getProperty("os.arch")
    };
  }

  /** Returns the number in the jar's manifest; classes that were never packaged have none. */
  public static String number() {
    String packaged = VersionText.class.getPackage().getImplementationVersion();
    return packaged == null ? "unpackaged" : packaged;
  }
}
