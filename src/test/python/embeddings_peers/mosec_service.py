"""mosec, as its documentation shows batches, with its own options."""
import json

from mosec import Server, Worker

from vectors import Vectors, base64_of


class Embedding(Worker):
    def __init__(self):
        self.vectors = Vectors()

    def deserialize(self, data):
        return json.loads(data)["texts"]

    def serialize(self, data):
        return json.dumps(base64_of(data)).encode()

    def forward(self, data):
        return self.vectors.of_each(data)


if __name__ == "__main__":
    server = Server()
    server.append_worker(Embedding, num=1, max_batch_size=64, max_wait_time=1)
    server.run()
