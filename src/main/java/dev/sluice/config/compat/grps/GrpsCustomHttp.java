package dev.sluice.config.compat.grps;

import dev.sluice.config.binding.Section;
import dev.sluice.config.binding.Setting;
import java.util.regex.Pattern;

/**
 * The {@code customized_predict_http} of a grps deployment's {@code server.yml}.
 *
 * @param path where predictions are asked for beside the usual path
 * @param customizedBody whether the model's plugin reads requests and writes answers
 * @param streamingCtrl how a request says that it wants a stream, on the usual path too
 */
public record GrpsCustomHttp(
    String path, boolean customizedBody, StreamControlConfig streamingCtrl) {
  private static final Pattern BUILT_IN =
      Pattern.compile("/grps/v1/(health|infer|metadata|monitor|js)/[a-z_]+/?");

  static GrpsCustomHttp read(Section custom, GrpsFile file) {
    Setting path = GrpsFile.required(custom, "path", "a path such as /v1/predict");
    if (!path.text().matches("/[A-Za-z0-9_\\-/]+")) {
      throw path.wanted("a slash, then letters, digits, _, - and /");
    }
    if (BUILT_IN.matcher(path.text()).matches()) {
      throw path.wanted("a path that the server does not answer already");
    }
    var read =
        new GrpsCustomHttp(
            path.text(),
            custom.flag("customized_body", false),
            GrpsFile.table(custom, "streaming_ctrl")
                .map(control -> streamingCtrl(control, file))
                .orElse(StreamControlConfig.DEFAULT));
    file.noteUnread(custom);
    return read;
  }

  private static StreamControlConfig streamingCtrl(Section control, GrpsFile file) {
    StreamControlConfig read = StreamControlConfig.read(control, StreamControlConfig.DEFAULT);
    file.noteUnread(control);
    return read;
  }
}
