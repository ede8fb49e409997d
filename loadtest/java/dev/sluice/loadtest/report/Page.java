package dev.sluice.loadtest.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;

/** A report as one web page that needs no other file and no network. */
final class Page {
  /** Chart.js, from its WebJar. The number in the path is the library's version. */
  private static final String LIBRARY =
      "/META-INF/resources/webjars/chart.js/" + System.getProperty("chartjs.version", "4.5.1");

  private Page() {}

  static String of(Report report) throws IOException {
    return resource("page.html")
        .replace("/* the library */", library())
        .replace("/* the report */null", report.json().replace("</", "<\\/"));
  }

  private static String library() throws IOException {
    return resource(LIBRARY + "/dist/chart.umd.min.js");
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = Page.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("not on the class path: " + name);
      }
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
