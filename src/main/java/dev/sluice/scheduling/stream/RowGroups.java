package dev.sluice.scheduling.stream;

import dev.sluice.inference.InferenceRequest;
import dev.sluice.tensor.NamedTensor;
import dev.sluice.tensor.Shape;
import dev.sluice.tensor.SharedTensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A request of many rows, answered by a group of rows after the other. A request whose inputs do
 * not have rows in common is answered at once, and one that has none, unless its model may answer
 * any number of times: there are no groups to answer then.
 */
public final class RowGroups implements StatelessSteps {
  private final InferenceRequest request;
  private final List<SharedTensor> inputs = new ArrayList<>();
  private final long groupRows;
  private long left;

  private RowGroups(InferenceRequest request, long rows, long groupRows) {
    this.request = request;
    this.left = rows;
    this.groupRows = groupRows;
    for (NamedTensor input : request.inputs()) {
      inputs.add(new SharedTensor(input.tensor()));
    }
  }

  /**
   * Returns a plan of groups.
   *
   * @param rows of a group at most; 0: every request is answered at once
   */
  public static StreamPlan plan(int rows) {
    return request -> {
      long all = rows == 0 ? -1 : rows(request);
      boolean atOnce = all < 0 || (all == 0 && !request.model().metadata().decoupled());
      return atOnce ? new SingleStep(request) : new RowGroups(request, all, rows);
    };
  }

  /** Returns the rows that all inputs have; -1 if there is no such number. */
  private static long rows(InferenceRequest request) {
    long rows = -1;
    for (NamedTensor input : request.inputs()) {
      Shape shape = input.tensor().shape();
      if (shape.rank() == 0 || (rows >= 0 && shape.dim(0) != rows)) {
        return -1;
      }
      rows = shape.dim(0);
    }
    return rows;
  }

  @Override
  public boolean isOver() {
    return left == 0;
  }

  @Override
  public InferenceRequest next() {
    long rows = Math.min(groupRows, left);
    left -= rows;
    var group = new ArrayList<NamedTensor>(inputs.size());
    for (int i = 0; i < inputs.size(); i++) {
      group.add(new NamedTensor(request.inputs().get(i).name(), inputs.get(i).next(rows)));
    }
    return request.step(request.signature(), group, request.outputs());
  }

  @Override
  public void close() {
    inputs.forEach(SharedTensor::close);
    inputs.clear();
  }
}
