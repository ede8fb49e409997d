"""Two networks with random weights to measure the server with: ../bench, the larger one not kept in version control."""
import sys
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[2] / "sample" / "scripts"))
from onnx_file import save, value


def mlp(*widths):
    random = np.random.default_rng(1)
    nodes, constants, last = [], [], "x"
    for layer, (wide_in, wide_out) in enumerate(zip(widths, widths[1:]), start=1):
        # Scaled so that the numbers neither grow nor fade from layer to layer.
        weights = random.standard_normal((wide_in, wide_out), np.float32) * np.float32((2 / wide_in) ** 0.5)
        constants.append(numpy_helper.from_array(weights, f"weights{layer}"))
        constants.append(numpy_helper.from_array(np.zeros(wide_out, np.float32), f"bias{layer}"))
        final = layer == len(widths) - 1
        nodes.append(helper.make_node("Gemm", [last, f"weights{layer}", f"bias{layer}"], ["y" if final else f"sums{layer}"]))
        if not final:
            last = f"hidden{layer}"
            nodes.append(helper.make_node("Relu", [f"sums{layer}"], [last]))
    folder = HERE.parent / "bench" / ("mlp_" + "_".join(map(str, widths)))
    save(folder, nodes, [value("x", "FP32", ["batch", widths[0]])], [value("y", "FP32", ["batch", widths[-1]])], constants)


mlp(128, 64, 10)
mlp(128, 1024, 1024, 10)
