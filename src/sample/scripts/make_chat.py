"""chat: a decoder with a memory for each row, as language models are exported for ONNX Runtime. Reads what train_chat.py left."""
import numpy as np

import chat_model as model
from decoder_graph import Graph, InPlace
from onnx_file import MODELS


def main():
    graph = Graph(model, dict(np.load("chat_weights.npz")))
    path = graph.save(MODELS / "chat", InPlace(graph), "A small language model that talks")
    print(f"{path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
