export function number(value) {
  if (value === null || !Number.isFinite(value)) return '–';
  const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', {maximumFractionDigits: digits});
}

export function millis(ms) {
  if (!Number.isFinite(ms) || ms === 0) return '–';
  if (ms >= 1000) return number(ms / 1000) + ' s';
  return ms < 0.1 ? number(ms * 1000) + ' µs' : number(ms) + ' ms';
}

export function duration(seconds) {
  const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = parts.findIndex(([length]) => seconds >= length);
  if (first < 0) return '0 s';
  let rest = Math.floor(seconds);
  return parts.slice(first, first + 2).map(([length, unit]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count + ' ' + unit;
  }).join(' ');
}

/** Reads JSON so that every number keeps the digits that it was written with, where the browser can. */
export function parse(text) {
  return JSON.rawJSON
    ? JSON.parse(text, (_, value, context) =>
        typeof value === 'number' && context ? JSON.rawJSON(context.source) : value)
    : JSON.parse(text);
}

const isLeaf = value => value === null || typeof value !== 'object' || (JSON.isRawJSON && JSON.isRawJSON(value));

/** JSON for people: lists of plain values in one line. */
export function pretty(value, indent = '') {
  if (isLeaf(value)) return JSON.stringify(value);
  const inner = indent + '  ';
  if (Array.isArray(value)) {
    if (value.every(isLeaf)) return '[' + value.map(each => JSON.stringify(each)).join(', ') + ']';
    return '[\n' + value.map(each => inner + pretty(each, inner)).join(',\n') + '\n' + indent + ']';
  }
  const entries = Object.entries(value);
  if (!entries.length) return '{}';
  const lines = entries.map(([key, each]) => inner + JSON.stringify(key) + ': ' + pretty(each, inner));
  return '{\n' + lines.join(',\n') + '\n' + indent + '}';
}

/** A text in the answer's own form: JSON if it is JSON. */
export function prettyText(text) {
  try {
    return pretty(parse(text));
  } catch {
    return text; // NaN and Infinity are not in JSON's grammar, but in answers.
  }
}
