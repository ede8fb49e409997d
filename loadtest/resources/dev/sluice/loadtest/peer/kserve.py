"""The model of the load test in KServe's Python server, as its documentation shows: NAME FILE, then KServe's own options."""
import sys
import uuid

import numpy
import onnxruntime
from kserve import InferOutput, InferRequest, InferResponse, Model, ModelServer


class OnnxModel(Model):
    def __init__(self, name, file):
        super().__init__(name)
        self.file = file
        self.load()

    def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(self.file, options, providers=["CPUExecutionProvider"])
        self.ready = True
        return True

    def predict(self, payload: InferRequest, headers=None, response_headers=None) -> InferResponse:
        values = payload.inputs[0].as_numpy().astype(numpy.float32, copy=False)
        result = self.session.run(["y"], {"x": values})[0]
        output = InferOutput(name="y", datatype="FP32", shape=list(result.shape))
        output.set_data_from_numpy(result, binary_data=False)
        return InferResponse(response_id=payload.id or str(uuid.uuid4()), model_name=self.name, infer_outputs=[output])


if __name__ == "__main__":
    ModelServer().start([OnnxModel(sys.argv[1], sys.argv[2])])
