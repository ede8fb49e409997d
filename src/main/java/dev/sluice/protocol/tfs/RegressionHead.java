package dev.sluice.protocol.tfs;

import dev.sluice.inference.InferenceException;
import dev.sluice.inference.Signature;
import dev.sluice.protocol.v1.TensorflowTypeNames;
import dev.sluice.tensor.DataType;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.Tensor;
import java.util.List;

/**
 * One output of numbers.
 *
 * @param output its name
 * @param strict whether they must be floats, as TensorFlow Serving has it
 */
record RegressionHead(String output, boolean strict) implements Head {
  @Override
  public List<String> outputs() {
    return List.of(output);
  }

  @Override
  public Head inJoint(Signature own) {
    return new RegressionHead(Head.nativeName(own, output), strict);
  }

  @Override
  public RegressionResults read(List<NamedTensor> outputs, long examples) {
    Tensor tensor = Head.find(outputs, output);
    Shape shape = tensor.shape();
    if (shape.rank() != 1 && !(shape.rank() == 2 && shape.dim(1) == 1)) {
      throw InferenceException.invalid(
          "Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got "
              + shape);
    }
    if (shape.dim(0) != examples) {
      throw InferenceException.invalid(
          "Input batch size did not match output batch size: " + examples + " vs. " + shape.dim(0));
    }
    if (strict ? tensor.type() != DataType.FP32 : !NumericElements.isNumber(tensor.type())) {
      throw InferenceException.invalid(
          "Expected output Tensor of DT_FLOAT.  Got: "
              + TensorflowTypeNames.constant(tensor.type()));
    }
    return new RegressionResults(tensor);
  }
}
