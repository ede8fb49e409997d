// Asks a running server by the client of OpenAI, and fails with a text if an answer is wrong.
//
//     node openai_client.js HOST:PORT
//
// The server has the sample models writer and chat.
const assert = require("node:assert");
const OpenAI = require("openai");

const ASKED = { model: "writer", prompt: "My dear Mr. ", temperature: 0, max_tokens: 20 };

const SAID = { model: "chat", temperature: 0, messages: [{ role: "user", content: "What is the capital of France?" }] };

async function talk(client) {
  const whole = await client.chat.completions.create(SAID);
  const said = whole.choices[0].message;
  assert.match(said.content, /Paris/);
  assert.equal(whole.choices[0].finish_reason, "stop");
  let text = "";
  for await (const chunk of await client.chat.completions.create({ ...SAID, stream: true })) {
    text += chunk.choices[0].delta.content ?? "";
  }
  assert.equal(text, said.content);
  const final = await client.chat.completions.stream(SAID).finalMessage();
  assert.equal(final.content, said.content);
  await assert.rejects(client.chat.completions.create({ ...SAID, messages: [] }), { status: 400, param: "messages" });
}

async function ask() {
  const client = new OpenAI({ baseURL: `http://${process.argv[2]}/openai/v1`, apiKey: "none", maxRetries: 0 });
  const whole = await client.completions.create(ASKED);
  assert.equal(whole.choices[0].finish_reason, "length");
  assert.equal(whole.usage.completion_tokens, 20);
  let text = "";
  for await (const chunk of await client.completions.create({ ...ASKED, stream: true })) {
    text += chunk.choices[0].text;
  }
  assert.equal(text, whole.choices[0].text);
  await assert.rejects(client.completions.create({ ...ASKED, n: 33 }), { status: 400, param: "n" });
  await assert.rejects(client.completions.create({ ...ASKED, model: "nobody" }), { status: 404 });
  await talk(client);
  const names = [];
  for await (const model of client.models.list()) {
    names.push(model.id);
  }
  assert(names.includes("writer"), names.join());
  console.log("openai for Node: all as expected");
}

ask().catch((wrong) => {
  console.error(wrong);
  process.exit(1);
});
