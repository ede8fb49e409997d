// Texts of a model that generates them, put together as their pieces arrive.
import {el, setText} from './dom.js';
import {millis, number} from './format.js';

const MOST_SHOWN = 200000; // Characters of one text.

export class Written {
  constructor(begun) {
    this.begun = begun;
    this.boxes = [];
    this.reasons = new Set();
    this.note = el('p', {class: 'soft'});
    this.texts = el('div', {class: 'pieces'});
    this.node = el('div', {class: 'written'}, this.note, this.texts);
  }

  /**
   * Takes what one message brings.
   *
   * @param parts pieces, each with the index of its text, and perhaps why that text ends
   * @param tokens of all texts, where the message has them
   */
  add({parts, tokens}) {
    for (const {index, text, reason} of parts) {
      if (text) {
        this.last = performance.now();
        this.first ??= this.last;
        const box = this.box(index);
        if (box.textContent.length < MOST_SHOWN) box.append(text);
        box.scrollTop = box.scrollHeight;
      }
      if (reason) this.reasons.add(reason);
    }
    this.tokens = tokens ?? this.tokens;
  }

  box(index) {
    if (!this.boxes[index]) {
      this.boxes[index] = el('pre', {tabindex: 0, role: 'region', 'aria-label': `Text ${index + 1}`});
      this.texts.replaceChildren(...this.boxes.filter(Boolean));
    }
    return this.boxes[index];
  }

  /** Says how many tokens there are, why the texts end, and, of a stream, how fast they came. */
  finish(streamed) {
    const said = [];
    if (streamed && this.first) said.push(`first text after ${millis(this.first - this.begun)}`);
    if (this.tokens) said.push(`${number(this.tokens)} tokens`);
    const seconds = (this.last - this.first) / 1000;
    if (streamed && this.tokens > 1 && seconds > 0) said.push(`${number((this.tokens - 1) / seconds)} a second`);
    if (this.reasons.size) said.push('finish_reason ' + [...this.reasons].join(', '));
    setText(this.note, said.join(' · '));
  }
}
