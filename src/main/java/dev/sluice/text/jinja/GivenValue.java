package dev.sluice.text.jinja;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.text.jinja.value.MarkedText;
import dev.sluice.text.jinja.value.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values out of a request's JSON. All of their text is marked as given, names too. */
final class GivenValue {
  private GivenValue() {}

  static Value of(JsonNode json) {
    return switch (json.getNodeType()) {
      case STRING -> MarkedText.given(json.textValue());
      case BOOLEAN -> Value.Bool.of(json.booleanValue());
      case NUMBER ->
          json.isIntegralNumber() && json.canConvertToLong()
              ? new Value.Whole(json.longValue())
              : new Value.Decimal(json.doubleValue());
      case ARRAY -> {
        List<Value> items = new ArrayList<>(json.size());
        json.forEach(item -> items.add(of(item)));
        yield Value.Items.list(items);
      }
      case OBJECT -> {
        Map<Value, Value> entries = new LinkedHashMap<>();
        json.properties()
            .forEach(entry -> entries.put(MarkedText.given(entry.getKey()), of(entry.getValue())));
        yield new Value.Mapping(entries);
      }
      default -> Value.None.NONE;
    };
  }
}
