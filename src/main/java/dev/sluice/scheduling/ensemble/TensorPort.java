package dev.sluice.scheduling.ensemble;

import dev.sluice.config.model.EnsembleConfig.Declaration;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;

/**
 * One end of an ensemble's tensor: at a step's model, or at an input or output of the ensemble.
 *
 * @param what for texts: {@code output 'y' of ensemble 'e', step 1 (model 'm')}
 * @param spec under the ensemble's name of the tensor
 * @param typed whether the spec's type was said
 * @param anyShape whether the shape is only a hint
 * @param isOfEnsemble whether it is the ensemble's own
 * @param oneRow whether dimension 0 is a batch that the rest of the ensemble does not have: it is
 *     one row there
 */
record TensorPort(
    String what,
    TensorSpec spec,
    boolean typed,
    boolean anyShape,
    boolean isOfEnsemble,
    boolean oneRow) {
  static TensorPort ofStep(
      String kind,
      String where,
      String tensor,
      TensorSpec model,
      boolean anyShape,
      boolean oneRow) {
    return new TensorPort(
        "%s '%s' of %s".formatted(kind, model.name(), where),
        new TensorSpec(
            tensor, model.type(), model.shape(), model.optional(), tensor, model.type().name()),
        true,
        anyShape,
        false,
        oneRow);
  }

  static TensorPort ofEnsemble(String kind, Declaration said) {
    DataType type = said.type().orElse(DataType.UNSUPPORTED);
    return new TensorPort(
        "%s '%s' of the ensemble".formatted(kind, said.name()),
        new TensorSpec(
            said.tensor(), type, said.shape(), said.optional(), said.tensor(), type.name()),
        said.type().isPresent(),
        false,
        true,
        false);
  }

  String tensor() {
    return spec.name();
  }

  /** Refuses two ends of which one can never give what the other takes. */
  void requireFits(String ensemble, TensorPort other) {
    boolean sameType = !typed || !other.typed || spec.type() == other.spec.type();
    boolean sameShape =
        anyShape
            || other.anyShape
            || agree(spec.shape(), other.spec.shape())
            || (oneRow && agree(row(spec.shape()), other.spec.shape()))
            || (other.oneRow && agree(spec.shape(), row(other.spec.shape())));
    if (!sameType || !sameShape) {
      throw EnsembleGraphBuilder.refused(
          "ensemble '%s': tensor '%s' does not fit: %s, %s"
              .formatted(ensemble, tensor(), this, other));
    }
  }

  private static Shape row(Shape batch) {
    return batch.rank() == 0 ? batch : batch.withoutRows();
  }

  private static boolean agree(Shape one, Shape other) {
    if (!one.isRankKnown() || !other.isRankKnown()) {
      return true;
    }
    if (one.rank() != other.rank()) {
      return false;
    }
    for (int i = 0; i < one.rank(); i++) {
      boolean open = one.dim(i) == Shape.ANY || other.dim(i) == Shape.ANY;
      if (!open && one.dim(i) != other.dim(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the declaration of this tensor by the ensemble, completed by the declaration at this
   * end.
   */
  TensorSpec declared(Declaration said) {
    DataType type = said.type().orElse(spec.type());
    Shape shape = said.shape().isRankKnown() ? said.shape() : spec.shape();
    return new TensorSpec(
        said.name(),
        type,
        shape,
        said.optional() || (said.type().isEmpty() && spec.optional()),
        said.name(),
        type.name());
  }

  @Override
  public String toString() {
    return what + " is " + (typed ? spec.type() : "of any type") + spec.shape();
  }
}
