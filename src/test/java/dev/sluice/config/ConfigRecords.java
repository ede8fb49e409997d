package dev.sluice.config;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/** Compares settings key by key. */
final class ConfigRecords {
  private ConfigRecords() {}

  /** Names of components, however deep, that are equal in both; a test that sets all wants none. */
  static List<String> same(Record one, Record other) throws ReflectiveOperationException {
    List<String> same = new ArrayList<>();
    for (RecordComponent component : one.getClass().getRecordComponents()) {
      Object left = component.getAccessor().invoke(one);
      Object right = component.getAccessor().invoke(other);
      if (left instanceof Record inner && inner.getClass() == right.getClass()) {
        same.addAll(same(inner, (Record) right));
      } else if (left.equals(right)) {
        same.add(component.getName());
      }
    }
    return same;
  }
}
