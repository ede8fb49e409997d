// Asks a running server by Vercel's ai package, and fails with a text if an answer is wrong.
//
//     node ai_client.mjs HOST:PORT PLACE
//
// PLACE is the folder that has the packages in node_modules. The server has the sample model chat, and vectors of src/test/models/encoders.
import assert from "node:assert";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [server, place] = process.argv.slice(2);
const installed = createRequire(pathToFileURL(`${place}/package.json`));
const { embedMany, generateText, streamText } = await import(pathToFileURL(installed.resolve("ai")));
const { createOpenAICompatible } = await import(pathToFileURL(installed.resolve("@ai-sdk/openai-compatible")));

const provider = createOpenAICompatible({ name: "sluice", baseURL: `http://${server}/v1`, apiKey: "none", includeUsage: true });
const said = { model: provider("chat"), temperature: 0, maxRetries: 0, prompt: "What is the capital of France?" };

const whole = await generateText(said);
assert.match(whole.text, /Paris/);
assert.equal(whole.finishReason, "stop");

const streamed = streamText(said);
let text = "";
let parts = 0;
for await (const part of streamed.textStream) {
  text += part;
  parts++;
}
assert.equal(text, whole.text);
assert(parts > 3, `${parts} parts`);
assert.equal((await streamed.usage).outputTokens, whole.usage.outputTokens);

const short = await generateText({ ...said, maxOutputTokens: 3 });
assert.equal(short.finishReason, "length");
await assert.rejects(generateText({ ...said, temperature: -1 }), { statusCode: 400 });

const { embeddings } = await embedMany({ model: provider.textEmbeddingModel("vectors"), values: ["One", "A longer text"] });
assert.equal(embeddings.length, 2);
embeddings.forEach((vector) => assert(Math.abs(Math.hypot(...vector) - 1) < 1e-5));
console.log("ai for Node: all as expected");
