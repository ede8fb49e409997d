package dev.sluice.text.jinja;

import dev.sluice.fuzz.FuzzTarget;
import dev.sluice.fuzz.Rejection;
import dev.sluice.text.jinja.value.TemplateException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Chat templates of models: parsed, or refused with a text. */
final class ChatTemplateFuzz implements FuzzTarget {
  @Override
  public void accept(byte[] input) {
    String source = new String(input, StandardCharsets.UTF_8);
    var _ = Rejection.part(TemplateException.class, () -> ChatTemplate.parse(source, Map.of()));
  }
}
