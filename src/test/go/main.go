// Asks a running server by the stubs that Go's generators make of our files, and fails if an answer is wrong.
//
//	client HOST:PORT
//
// The server has the models of src/test/models/oip and src/test/models/triton. How the stubs are made: src/test/python/clients.py.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log"
	"os"
	"time"

	"client/oip"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(right bool, text string, values ...any) {
	if !right {
		log.Fatalf(text, values...)
	}
}

func row(first, step int32) []int32 {
	values := make([]int32, 16)
	for i := range values {
		values[i] = first + step*int32(i)
	}
	return values
}

func raw(values []int32) []byte {
	var out bytes.Buffer
	must(0, binary.Write(&out, binary.LittleEndian, values))
	return out.Bytes()
}

func sum(model string) *oip.ModelInferRequest {
	input := func(name string) *oip.ModelInferRequest_InferInputTensor {
		return &oip.ModelInferRequest_InferInputTensor{Name: name, Datatype: "INT32", Shape: []int64{1, 16}}
	}
	return &oip.ModelInferRequest{
		ModelName:        model,
		Inputs:           []*oip.ModelInferRequest_InferInputTensor{input("INPUT0"), input("INPUT1")},
		RawInputContents: [][]byte{raw(row(0, 1)), raw(row(1, 0))},
	}
}

func checkSum(answer *oip.ModelInferResponse) {
	for i, want := range [][]int32{row(1, 1), row(-1, 1)} {
		check(bytes.Equal(answer.RawOutputContents[i], raw(want)), "output %d is %v", i, answer.RawOutputContents[i])
	}
}

func plain(ctx context.Context, client oip.GRPCInferenceServiceClient) {
	check(must(client.ServerLive(ctx, &oip.ServerLiveRequest{})).Live, "the server is not live")
	check(must(client.ServerReady(ctx, &oip.ServerReadyRequest{})).Ready, "the server is not ready")
	metadata := must(client.ModelMetadata(ctx, &oip.ModelMetadataRequest{Name: "simple"}))
	check(metadata.Inputs[0].Shape[1] == 16, "the metadata are %v", metadata)
	checkSum(must(client.ModelInfer(ctx, sum("simple"))))
	checkSum(must(client.ModelInfer(ctx, sum("simple"), grpc.UseCompressor(gzip.Name))))
	statistics := must(client.ModelStatistics(ctx, &oip.ModelStatisticsRequest{Name: "simple"}))
	check(statistics.ModelStats[0].InferenceCount >= 2, "the statistics are %v", statistics)
}

func refused(ctx context.Context, client oip.GRPCInferenceServiceClient) {
	_, err := client.ModelInfer(ctx, sum("nope"))
	check(status.Code(err) == codes.NotFound, "an unknown model: %v", err)
	soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	slow := &oip.ModelInferRequest{ModelName: "slow", Inputs: []*oip.ModelInferRequest_InferInputTensor{{
		Name: "INPUT0", Datatype: "FP32", Shape: []int64{1, 1}, Contents: &oip.InferTensorContents{Fp32Contents: []float32{1}}}}}
	_, err = client.ModelInfer(soon, slow)
	check(status.Code(err) == codes.DeadlineExceeded, "a late answer: %v", err)
}

func streamed(ctx context.Context, client oip.GRPCInferenceServiceClient) {
	stream := must(client.ModelStreamInfer(ctx))
	for range 8 {
		must(0, stream.Send(sum("addsub")))
	}
	must(0, stream.CloseSend())
	for i := 0; ; i++ {
		message, err := stream.Recv()
		if err == io.EOF {
			check(i == 8, "%d answers", i)
			return
		}
		check(must(message, err).ErrorMessage == "", "the stream says %s", message.GetErrorMessage())
		checkSum(message.InferResponse)
	}
}

func watched(ctx context.Context, connection *grpc.ClientConn) {
	watch := must(grpc_health_v1.NewHealthClient(connection).Watch(ctx, &grpc_health_v1.HealthCheckRequest{}))
	check(must(watch.Recv()).Status == grpc_health_v1.HealthCheckResponse_SERVING, "the server is not healthy")
}

func main() {
	connection := must(grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials())))
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := oip.NewGRPCInferenceServiceClient(connection)
	plain(ctx, client)
	refused(ctx, client)
	streamed(ctx, client)
	watched(ctx, connection)
	log.Println("go: all as expected")
}
