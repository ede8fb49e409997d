package dev.sluice.protocol.grps;

/** The forms a request's data may have: the members of the contract's oneof. */
public enum DataForm {
  BYTES("bin_data"),
  TEXT("str_data"),
  TENSORS("gtensors"),
  /** Only in JSON. */
  NDARRAY("ndarray"),
  MAP("gmap"),
  /** A message without data, which models that need none take. */
  NOTHING("");

  private final String field;

  DataForm(String field) {
    this.field = field;
  }

  /** Returns the field's name. */
  public String field() {
    return field;
  }
}
