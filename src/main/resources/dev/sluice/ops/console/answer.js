// Sends a request and shows what becomes of it: the answer, or its pieces as they arrive, and where the time went.
import {send} from './api.js';
import {el, mark, setText} from './dom.js';
import {millis, pretty, prettyText} from './format.js';
import {readFrames} from './grpcweb.js';
import {Written} from './written.js';

const MOST_SHOWN = 200000; // Characters; a longer answer is cut, so that the page stays quick.

/** Reads the header Server-Timing: pairs of a stage and its milliseconds. */
export function stages(header) {
  return (header || '').split(',').map(part => /^\s*([\w-]+);dur=([\d.]+)/.exec(part))
      .filter(match => match).map(([, name, ms]) => [name, Number(ms)]);
}

/** The bars of answers that stand side by side: all as long as the longest of their times. */
class Scale {
  constructor() {
    this.bars = [];
  }

  add(bar, parts, total) {
    const sum = parts.reduce((before, [, ms]) => before + ms, 0);
    this.bars.push({bar, parts, ms: Math.max(sum, total || 0)});
    const most = Math.max(...this.bars.map(({ms}) => ms));
    for (const each of this.bars) {
      [...each.bar.children].forEach((piece, i) => { piece.style.width = most ? `${100 * each.parts[i][1] / most}%` : '0'; });
    }
  }
}

export const newScale = () => new Scale();

function showStages({times: node, scale}, header, whole, streamed) {
  const all = stages(header);
  const total = (all.find(([name]) => name === 'total') || [])[1];
  const parts = all.filter(([name]) => name !== 'total');
  if (!parts.length) {
    node.replaceChildren(el('p', {class: 'soft', text: `${millis(whole)} in all; the server tells no stages.`}));
    return;
  }
  const bar = el('div', {class: 'stages', role: 'img', 'aria-label': 'Share of each stage; the list below has the times'});
  const keys = el('ul', {class: 'keys', 'aria-label': 'Time in the server'});
  parts.forEach(([name, ms], i) => {
    bar.append(el('i', {class: 'c' + (i % 7 + 1)}));
    keys.append(el('li', {}, el('i', {class: 'c' + (i % 7 + 1)}), `${name} ${millis(ms)}`));
  });
  scale.add(bar, parts, total);
  node.replaceChildren(el('p', {class: 'soft', text: `${millis(total)} in the server${streamed ? ' until the first message' : ''}, ${millis(whole)} for this page.`}), bar, keys);
}

/** A card for the answer of one request. That of generated text has the text, and folds what was sent. */
export function card(title, {written, stream}, scale) {
  const state = el('span', {class: 'mark', role: 'status', text: ''});
  const times = el('div');
  const texts = el('div', {hidden: !written});
  const text = el('pre', {tabindex: 0, role: 'region', 'aria-label': 'Answer: ' + title});
  const node = el('section', {class: 'card', 'aria-label': title},
      el('div', {class: 'figure'}, el('h3', {text: title}), state), texts, times,
      written ? el('details', {}, el('summary', {text: stream ? 'Messages' : 'Answer'}), text) : text);
  return {node, state, times, texts, text, scale};
}

const messages = count => count === 1 ? '1 message' : `${count} messages`;

function show(view, text) {
  view.text.textContent = text.length > MOST_SHOWN
    ? text.slice(0, MOST_SHOWN) + `\n… ${text.length - MOST_SHOWN} more characters are not shown.` : text;
}

function messageOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // The end of a stream, [DONE], is no JSON.
  }
}

/** Shows the pieces of a stream as they arrive; returns how many there were, and whether one says that it failed. */
async function pieces(answer, begun, view, {stream, written}, texts) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = stream === 'events';
  let rest = '';
  let count = 0;
  let failed = false;
  const add = text => {
    const piece = (events ? text.replaceAll(/^data: ?/gm, '') : text).trim();
    if (!piece) return;
    count++;
    if (view.text.textContent.length < MOST_SHOWN) {
      view.text.append(`${(performance.now() - begun).toFixed(0).padStart(6)} ms  ${piece}\n`);
      view.text.scrollTop = view.text.scrollHeight;
    }
    const message = messageOf(piece);
    failed = failed || 'error' in message;
    if (written) texts.add(written(message));
    mark(view.state, `${answer.status}, ${messages(count)} …`, 'busy');
  };
  for (;;) {
    const {value, done} = await reader.read();
    if (done) break;
    rest += value;
    const parts = events ? rest.split(/\r?\n\r?\n/) : [rest, ''];
    rest = parts.pop();
    parts.forEach(add);
  }
  add(rest);
  return {count, failed};
}

/** Shows the messages of gRPC-Web as they arrive; returns how many there were, whether one failed, and the trailers. */
async function frames(answer, begun, view, {stream, written}, texts) {
  let count = 0;
  let failed = false;
  let last = '';
  const trailers = await readFrames(answer, stream, message => {
    failed = failed || 'error' in message;
    if (written) texts.add(written(message));
    last = pretty(message);
    count++;
    if (!stream) show(view, last);
    else if (view.text.textContent.length < MOST_SHOWN) {
      view.text.append(`${(performance.now() - begun).toFixed(0).padStart(6)} ms  ${JSON.stringify(message)}\n`);
    }
    mark(view.state, `${answer.status}, ${messages(count)} …`, 'busy');
  });
  const good = trailers['grpc-status'] === '0';
  if (!good) view.text.append(`grpc-status ${trailers['grpc-status'] || 'missing'}: ${decodeURIComponent(trailers['grpc-message'] || '')}`);
  return {count, failed: failed || !good, timing: trailers['server-timing'], text: stream ? undefined : last};
}

/** Shows an answer that came at once, and returns its text. */
async function whole(answer, view, {written}, texts) {
  const text = await answer.text();
  show(view, prettyText(text));
  if (written && answer.ok) texts.add(written(messageOf(text)));
  if (!answer.ok) {
    const folded = view.text.closest('details');
    if (folded) folded.open = true;
  }
  return text;
}

async function shownOf(answer, begun, view, request, texts) {
  if (request.grpc && answer.ok) return frames(answer, begun, view, request, texts);
  if (request.stream && answer.ok) return pieces(answer, begun, view, request, texts);
  return {text: await whole(answer, view, request, texts)};
}

/** Sends a request, shows its answer, and returns its text if it was a good one that came at once. */
export async function ask(request, view, signal) {
  const begun = performance.now();
  const texts = new Written(begun);
  mark(view.state, 'sent …', 'busy');
  view.text.textContent = '';
  view.times.replaceChildren();
  view.texts.replaceChildren(texts.node);
  try {
    const answer = await send(request.path, {method: 'POST', signal, body: request.grpc || JSON.stringify(request.body),
      headers: {'content-type': request.grpc ? 'application/grpc-web+proto' : 'application/json', 'x-server-timing': '1'}});
    const streams = request.stream && answer.ok;
    const {count, failed, text, timing} = await shownOf(answer, begun, view, request, texts);
    showStages(view, timing || answer.headers.get('server-timing'), performance.now() - begun, streams && !request.grpc);
    texts.finish(streams);
    const what = streams ? `${answer.status}, ${messages(count)}` : failed ? `${answer.status}` : `${answer.status} ${answer.statusText}`.trim();
    mark(view.state, failed ? what + ', and it failed' : what,
        answer.ok && !failed ? 'good' : 'bad');
    return answer.ok && !failed ? text : undefined;
  } catch (failure) {
    const stopped = failure.name === 'AbortError';
    texts.finish(true);
    mark(view.state, stopped ? 'stopped' : 'failed', stopped ? '' : 'bad');
    if (!stopped) setText(view.text, String(failure.message));
    return undefined;
  }
}
