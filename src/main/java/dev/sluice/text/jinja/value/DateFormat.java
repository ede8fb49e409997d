package dev.sluice.text.jinja.value;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Dates as C and Python write them, in English. */
final class DateFormat {
  private DateFormat() {}

  /**
   * Returns a date in a format such as {@code %d %b %Y}.
   *
   * @throws TemplateException if a part of it is not known
   */
  static String of(String format, ZonedDateTime date) {
    var out = new StringBuilder();
    for (int i = 0; i < format.length(); i++) {
      char c = format.charAt(i);
      if (c == '%' && i + 1 < format.length()) {
        boolean unpadded = format.charAt(i + 1) == '-' && i + 2 < format.length();
        i += unpadded ? 2 : 1;
        String part = part(format.charAt(i), date);
        out.append(unpadded ? part.replaceFirst("^0+(?=.)", "") : part);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  private static String part(char sign, ZonedDateTime date) {
    String pattern =
        switch (sign) {
          case 'Y' -> "yyyy";
          case 'y' -> "yy";
          case 'm' -> "MM";
          case 'd' -> "dd";
          case 'B' -> "MMMM";
          case 'b', 'h' -> "MMM";
          case 'A' -> "EEEE";
          case 'a' -> "EEE";
          case 'H' -> "HH";
          case 'I' -> "hh";
          case 'M' -> "mm";
          case 'S' -> "ss";
          case 'p' -> "a";
          case 'j' -> "DDD";
          case 'F' -> "yyyy-MM-dd";
          case 'T' -> "HH:mm:ss";
          case 'Z' -> "zzz";
          case 'z' -> "xx";
          case '%' -> "'%'";
          default -> throw new TemplateException("strftime_now: '%" + sign + "' is not supported");
        };
    return DateTimeFormatter.ofPattern(pattern, Locale.US).format(date);
  }
}
