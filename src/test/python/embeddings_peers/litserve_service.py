"""LitServe, as its documentation shows batches: PORT."""
import sys

import litserve

from vectors import Vectors, base64_of


class Embedding(litserve.LitAPI):
    def setup(self, device):
        self.vectors = Vectors()

    def decode_request(self, request):
        return request["texts"]

    def batch(self, inputs):
        return inputs

    def predict(self, batch):
        return self.vectors.of_each(batch)

    def unbatch(self, output):
        return output

    def encode_response(self, output):
        return base64_of(output)


if __name__ == "__main__":
    server = litserve.LitServer(Embedding(max_batch_size=64), accelerator="cpu", workers_per_device=1)
    server.run(host="127.0.0.1", port=int(sys.argv[1]), generate_client_file=False)
