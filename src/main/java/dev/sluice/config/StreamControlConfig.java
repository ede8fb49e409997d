package dev.sluice.config;

/**
 * How a grps predict request over HTTP says that it wants a stream.
 *
 * @param ctrlMode where it says so
 * @param ctrlKey what says so
 * @param resContentType the content type of the stream
 */
public record StreamControlConfig(Mode ctrlMode, String ctrlKey, String resContentType) {
  public static final StreamControlConfig DEFAULT =
      new StreamControlConfig(Mode.QUERY_PARAM, "streaming", "application/octet-stream");

  /** Where a request says what it wants. */
  public enum Mode {
    QUERY_PARAM,
    HEADER_PARAM,
    BODY_PARAM
  }

  /**
   * @param defaults for what it leaves out, or leaves empty
   */
  static StreamControlConfig read(Section control, StreamControlConfig defaults) {
    return new StreamControlConfig(
        control.text("ctrl_mode").isEmpty()
            ? defaults.ctrlMode
            : control.choice("ctrl_mode", defaults.ctrlMode),
        control.text("ctrl_key").orElse(defaults.ctrlKey),
        control.text("res_content_type").orElse(defaults.resContentType));
  }
}
