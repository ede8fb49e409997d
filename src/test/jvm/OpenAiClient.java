import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;

// Asks a running server by the client of OpenAI for Java, and fails with a text if an answer is
// wrong.
//
//     java --class-path JARS OpenAiClient.java HOST:PORT
//
// The server has the sample model chat, and vectors of src/test/models/encoders.

static final String QUESTION = "What is the capital of France?";

void check(boolean right, Object answer) {
  if (!right) {
    throw new AssertionError(answer);
  }
}

ChatCompletionCreateParams.Builder said() {
  return ChatCompletionCreateParams.builder().model("chat").temperature(0).addUserMessage(QUESTION);
}

void talk(OpenAIClient client) {
  ChatCompletion whole = client.chat().completions().create(said().build());
  String text = whole.choices().getFirst().message().content().orElseThrow();
  check(text.contains("Paris"), whole);
  var accumulator = ChatCompletionAccumulator.create();
  try (var stream = client.chat().completions().createStreaming(said().build())) {
    stream.stream().forEach(accumulator::accumulate);
  }
  ChatCompletion joined = accumulator.chatCompletion();
  check(joined.choices().getFirst().message().content().orElseThrow().equals(text), joined);
  try {
    client.chat().completions().create(said().temperature(-1).build());
    throw new AssertionError("a negative temperature was taken");
  } catch (BadRequestException e) {
    check(e.param().orElse("").equals("temperature"), e);
  }
  try {
    client.chat().completions().create(said().model("nobody").build());
    throw new AssertionError("nobody answered");
  } catch (NotFoundException e) {
    check(e.getMessage().contains("nobody"), e);
  }
}

void complete(OpenAIClient client) {
  var asked = CompletionCreateParams.builder().model("chat").prompt("What is").maxTokens(5).build();
  var text = client.completions().create(asked);
  check(text.usage().orElseThrow().completionTokens() == 5, text);
}

void embed(OpenAIClient client) {
  var asked =
      EmbeddingCreateParams.builder()
          .model("vectors")
          .inputOfArrayOfStrings(List.of("One", "A longer text"))
          .build();
  var rows = client.embeddings().create(asked).data();
  check(rows.size() == 2, rows);
  for (var row : rows) {
    double sum = row.embedding().stream().mapToDouble(each -> each * each).sum();
    check(Math.abs(Math.sqrt(sum) - 1) < 1e-5, row);
  }
}

void main(String[] arguments) {
  OpenAIClient client =
      OpenAIOkHttpClient.builder()
          .baseUrl("http://" + arguments[0] + "/openai/v1")
          .apiKey("none")
          .maxRetries(0)
          .build();
  try {
    talk(client);
    complete(client);
    embed(client);
    var models = client.models().list().data();
    check(models.stream().anyMatch(model -> model.id().equals("chat")), models);
  } finally {
    client.close();
  }
  System.out.println("openai for Java: all as expected");
}
