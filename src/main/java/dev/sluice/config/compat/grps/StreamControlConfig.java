package dev.sluice.config.compat.grps;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;

/**
 * Settings by which a grps predict request over HTTP asks for a stream.
 *
 * @param ctrlMode where a predict request over HTTP asks for a stream: a query parameter, a header,
 *     or a member of its JSON body
 * @param ctrlKey name of that parameter, header or member, whose value is then true
 * @param resContentType content type of the stream
 */
public record StreamControlConfig(Mode ctrlMode, String ctrlKey, String resContentType) {
  public static final StreamControlConfig DEFAULT =
      new StreamControlConfig(Mode.QUERY_PARAM, "streaming", "application/octet-stream");

  /** The place in a request that is read for it. */
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
        control
            .single("ctrl_mode", Setting.constantWanted(Mode.class), defaults.ctrlMode)
            .filter(mode -> !mode.text().isEmpty())
            .map(mode -> mode.constant(Mode.class))
            .orElse(defaults.ctrlMode),
        control.text("ctrl_key", defaults.ctrlKey),
        control.text("res_content_type", defaults.resContentType));
  }
}
