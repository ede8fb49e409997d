// Asks a running server by the client of OpenAI for Go, and fails if an answer is wrong.
//
//	client HOST:PORT
//
// The server has the sample model chat, and vectors of src/test/models/encoders.
package main

import (
	"context"
	"errors"
	"log"
	"math"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func check(right bool, text string, values ...any) {
	if !right {
		log.Fatalf(text, values...)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func talk(ctx context.Context, client openai.Client) {
	said := openai.ChatCompletionNewParams{
		Model:         "chat",
		Temperature:   openai.Float(0),
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.UserMessage("What is the capital of France?")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	stream := client.Chat.Completions.NewStreaming(ctx, said)
	joined := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		check(joined.AddChunk(stream.Current()), "a chunk that does not follow: %v", stream.Current())
	}
	check(stream.Err() == nil, "the stream ended with %v", stream.Err())
	said.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	whole := must(client.Chat.Completions.New(ctx, said))
	text := whole.Choices[0].Message.Content
	check(strings.Contains(text, "Paris"), "answered %q", text)
	check(joined.Choices[0].Message.Content == text, "streamed %q, and whole %q", joined.Choices[0].Message.Content, text)
	check(joined.Usage.CompletionTokens == whole.Usage.CompletionTokens, "used %v, and whole %v", joined.Usage, whole.Usage)
	said.Temperature = openai.Float(-1)
	_, err := client.Chat.Completions.New(ctx, said)
	var refused *openai.Error
	check(errors.As(err, &refused) && refused.StatusCode == 400 && refused.Param == "temperature", "refused with %v", err)
}

func complete(ctx context.Context, client openai.Client) {
	text := must(client.Completions.New(ctx, openai.CompletionNewParams{
		Model:     "chat",
		Prompt:    openai.CompletionNewParamsPromptUnion{OfString: openai.String("What is")},
		MaxTokens: openai.Int(5),
	}))
	check(text.Choices[0].Text != "" && text.Usage.CompletionTokens == 5, "answered %v", text)
}

func embed(ctx context.Context, client openai.Client) {
	answer := must(client.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model: "vectors",
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"One", "A longer text"}},
	}))
	check(len(answer.Data) == 2, "answered %v", answer)
	for _, row := range answer.Data {
		sum := 0.0
		for _, each := range row.Embedding {
			sum += each * each
		}
		check(math.Abs(math.Sqrt(sum)-1) < 1e-5, "a vector of length %v", math.Sqrt(sum))
	}
}

func models(ctx context.Context, client openai.Client) {
	found := false
	for _, model := range must(client.Models.List(ctx)).Data {
		found = found || model.ID == "chat"
	}
	check(found, "chat is not listed")
}

func main() {
	ctx := context.Background()
	client := openai.NewClient(option.WithBaseURL("http://"+os.Args[1]+"/openai/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	talk(ctx, client)
	complete(ctx, client)
	embed(ctx, client)
	models(ctx, client)
	log.Print("openai for Go: all as expected")
}
