// Sends a request and shows what becomes of it: the answer, or its pieces as they arrive, and where the time went.
import {send} from './api.js';
import {el, mark, setText} from './dom.js';
import {millis, prettyText} from './format.js';

const MOST_SHOWN = 200000; // Characters; a longer answer is cut, so that the page stays quick.

/** Reads the header Server-Timing: pairs of a stage and its milliseconds. */
export function stages(header) {
  return (header || '').split(',').map(part => /^\s*([\w-]+);dur=([\d.]+)/.exec(part))
      .filter(match => match).map(([, name, ms]) => [name, Number(ms)]);
}

function showStages(node, header, whole) {
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
    const piece = el('i', {class: 'c' + (i % 7 + 1)});
    piece.style.flexGrow = ms;
    bar.append(piece);
    keys.append(el('li', {}, el('i', {class: 'c' + (i % 7 + 1)}), `${name} ${millis(ms)}`));
  });
  node.replaceChildren(el('p', {class: 'soft', text: `${millis(total)} in the server, ${millis(whole)} for this page.`}), bar, keys);
}

/** A card for one answer. */
export function card(title) {
  const state = el('span', {class: 'mark', role: 'status', text: ''});
  const times = el('div');
  const text = el('pre', {tabindex: 0, role: 'region', 'aria-label': 'Answer: ' + title});
  const node = el('section', {class: 'card', 'aria-label': title},
      el('div', {class: 'figure'}, el('h3', {text: title}), state), times, text);
  return {node, state, times, text};
}

function show(view, text) {
  view.text.textContent = text.length > MOST_SHOWN
    ? text.slice(0, MOST_SHOWN) + `\n… ${text.length - MOST_SHOWN} more characters are not shown.` : text;
}

async function pieces(answer, begun, view, events) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let count = 0;
  const add = text => {
    const piece = events ? text.replaceAll(/^data: ?/gm, '') : text;
    if (!piece.trim()) return;
    count++;
    if (view.text.textContent.length < MOST_SHOWN) {
      view.text.append(`${(performance.now() - begun).toFixed(0).padStart(6)} ms  ${piece.trim()}\n`);
      view.text.scrollTop = view.text.scrollHeight;
    }
    mark(view.state, `${answer.status}, ${count} messages …`, 'busy');
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
  return count;
}

/** Sends a request, shows its answer, and returns its text if it was a good one that came at once. */
export async function ask(request, view, signal) {
  const begun = performance.now();
  mark(view.state, 'sent …', 'busy');
  view.text.textContent = '';
  view.times.replaceChildren();
  try {
    const answer = await send(request.path, {method: 'POST', signal, body: JSON.stringify(request.body),
      headers: {'content-type': 'application/json', 'x-server-timing': '1'}});
    const streams = request.stream && answer.ok;
    const count = streams ? await pieces(answer, begun, view, request.stream === 'events') : 0;
    const text = streams ? '' : await answer.text();
    const whole = performance.now() - begun;
    showStages(view.times, answer.headers.get('server-timing'), whole);
    if (!streams) show(view, prettyText(text));
    mark(view.state, streams ? `${answer.status}, ${count} messages` : `${answer.status} ${answer.statusText}`.trim(), answer.ok ? 'good' : 'bad');
    return answer.ok && !streams ? text : undefined;
  } catch (failure) {
    const stopped = failure.name === 'AbortError';
    mark(view.state, stopped ? 'stopped' : 'failed', stopped ? '' : 'bad');
    if (!stopped) setText(view.text, String(failure.message));
    return undefined;
  }
}
