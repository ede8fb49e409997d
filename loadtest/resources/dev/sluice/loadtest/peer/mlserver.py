"""The model of the load test in MLServer: a custom runtime, as its documentation shows, around ONNX Runtime."""
import onnxruntime
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse
from mlserver.utils import get_model_uri


class OnnxModel(MLModel):
    async def load(self) -> bool:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(await get_model_uri(self._settings), options, providers=["CPUExecutionProvider"])
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        values = NumpyCodec.decode_input(payload.inputs[0])
        outputs = self.session.run(["y"], {"x": values})
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", outputs[0])])
