package dev.sluice.boot.cli;

import dev.sluice.runtime.NativeLibrary;
import dev.sluice.telemetry.exposition.MetricsPage;
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

  /**
   * Returns the number in the jar's manifest, and {@code +onnx} behind it in the distribution that
   * has ONNX Runtime alone; classes that were never packaged have no number.
   */
  public static String number() {
    String packaged = VersionText.class.getPackage().getImplementationVersion();
    boolean onnxAlone = NativeLibrary.has("onnx") && !NativeLibrary.has("tensorflow");
    return (packaged == null ? "unpackaged" : packaged) + (onnxAlone ? "+onnx" : "");
  }

  /** Writes the number onto the page of metrics. */
  public static void write(MetricsPage page) {
    page.family("sluice_build_info", MetricsPage.Kind.GAUGE, "1, for the version that runs.")
        .add(1, "version", number());
  }
}
