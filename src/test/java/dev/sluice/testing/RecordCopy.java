package dev.sluice.testing;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Copies of settings in which one component, however deep, is another. */
public final class RecordCopy {
  private RecordCopy() {}

  /**
   * Returns a copy of a record.
   *
   * @param path name of the component, after those of the records it is in: {@code process.startup}
   */
  public static <R extends Record> R with(R record, String path, Object value) {
    int dot = path.indexOf('.');
    String name = dot < 0 ? path : path.substring(0, dot);
    RecordComponent[] components = record.getClass().getRecordComponents();
    Object[] values = new Object[components.length];
    boolean found = false;
    try {
      for (int i = 0; i < components.length; i++) {
        Object before = requireNonNull(components[i].getAccessor().invoke(record));
        boolean meant = components[i].getName().equals(name);
        found |= meant;
        values[i] =
            !meant
                ? before
                : dot < 0 ? value : with((Record) before, path.substring(dot + 1), value);
      }
      if (!found) {
        throw new IllegalArgumentException(record.getClass() + " has no component " + name);
      }
      @SuppressWarnings("unchecked")
      var constructor =
          (Constructor<R>)
              record
                  .getClass()
                  .getDeclaredConstructor(
                      Arrays.stream(components)
                          .map(RecordComponent::getType)
                          .toArray(Class<?>[]::new));
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(path + " of " + record.getClass(), e);
    }
  }
}
