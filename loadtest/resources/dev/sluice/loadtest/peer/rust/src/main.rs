//! Serves one ONNX model by the Open Inference Protocol, as directly as hyper, tonic and ort allow:
//! no queue, no metrics, no checks. It is what Sluice's processor time is compared with.
//!
//! Arguments: port of HTTP, port of gRPC, the runtime's library, the model's name, its file.

mod grpc;
mod http;
mod model;

use std::net::{Ipv4Addr, SocketAddr};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, http, grpc, library, name, file] = arguments.as_slice() else {
        panic!("wants: port of HTTP, port of gRPC, runtime's library, name of the model, its file");
    };
    model::load(library, name, file);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let calls = tokio::spawn(grpc::serve(local(grpc)));
        http::serve(local(http)).await;
        calls.await.expect("calls");
    });
}

fn local(port: &str) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().expect("a port")))
}
