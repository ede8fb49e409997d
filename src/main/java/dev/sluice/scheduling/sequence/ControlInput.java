package dev.sluice.scheduling.sequence;

import dev.sluice.config.model.SequenceConfig.Control;
import dev.sluice.config.model.SequenceConfig.ControlKind;
import dev.sluice.inference.ErrorCode;
import dev.sluice.inference.InferenceException;
import dev.sluice.inference.ParameterValue;
import dev.sluice.inference.SequenceStep;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.TensorSpec;
import java.util.EnumSet;
import java.util.Set;

/** Control input of a sequence: the position of a request in it. */
final class ControlInput {
  private static final Set<DataType> FLAGS =
      EnumSet.of(DataType.INT32, DataType.FP32, DataType.BOOL);
  private static final Set<DataType> IDS =
      EnumSet.of(DataType.UINT64, DataType.INT64, DataType.UINT32, DataType.INT32, DataType.BYTES);
  private static final long LARGEST_UINT32 = 0xFFFF_FFFFL;

  private final Control control;
  private final TensorSpec spec;
  private final Shape shape;

  /**
   * @throws InferenceException with FAILED_PRECONDITION if the input cannot hold what it is to tell
   */
  ControlInput(Control control, TensorSpec spec, boolean batched) {
    this.control = control;
    this.spec = spec;
    this.shape =
        spec.shape().isRankKnown()
            ? ConstantTensors.unitShape(spec.shape())
            : (batched ? Shape.of(1, 1) : Shape.of(1));
    Set<DataType> allowed = control.kind() == ControlKind.ID ? IDS : FLAGS;
    if (!allowed.contains(spec.type())) {
      throw new InferenceException(
          ErrorCode.FAILED_PRECONDITION,
          "sequence control input '%s' is %s, wanted one of %s"
              .formatted(spec.name(), spec.type(), allowed));
    }
  }

  /**
   * Returns the control input of a request; the caller closes it.
   *
   * @throws InferenceException with INVALID_ARGUMENT if the request's sequence id does not fit
   */
  NamedTensor of(SequenceStep step) {
    return switch (control.kind()) {
      case START -> flag(step.start());
      case END -> flag(step.end());
      // A request is run only when it is there: no slot of a batch is ever empty.
      case READY -> flag(true);
      case ID -> id(step);
    };
  }

  private NamedTensor flag(boolean set) {
    double value = set ? control.yes() : control.no();
    return new NamedTensor(
        spec.name(), ConstantTensors.numbers(spec.type(), shape, (long) value, value));
  }

  private NamedTensor id(SequenceStep step) {
    if (spec.type() == DataType.BYTES) {
      return new NamedTensor(spec.name(), ConstantTensors.texts(shape, step.idText()));
    }
    if (!(step.id() instanceof ParameterValue.Whole(long number, _)) || !fits(number)) {
      throw InferenceException.invalid(
          "sequence id '%s' is none that input '%s' can hold, which is %s"
              .formatted(step.idText(), spec.name(), spec.type()));
    }
    return new NamedTensor(
        spec.name(), ConstantTensors.numbers(spec.type(), shape, number, (double) number));
  }

  private boolean fits(long number) {
    return switch (spec.type()) {
      case UINT32 -> number >= 0 && number <= LARGEST_UINT32;
      case INT32 -> number >= 0 && number <= Integer.MAX_VALUE;
      case INT64 -> number >= 0;
      default -> true;
    };
  }
}
