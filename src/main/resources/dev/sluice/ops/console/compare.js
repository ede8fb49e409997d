// What is different between two answers to one request.

/** Walks two documents at once; counts values, those that differ, and the largest difference of numbers. */
function walk(a, b, found) {
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (key !== 'model_version' && key !== 'id') walk(a[key], b[key], found);
    }
    return;
  }
  found.values++;
  if (a === b) return;
  found.differing++;
  if (typeof a === 'number' && typeof b === 'number') found.most = Math.max(found.most, Math.abs(a - b));
}

/** Returns a sentence about two answers, each a text of JSON. */
export function difference(one, other) {
  if (one === undefined || other === undefined) return 'Nothing to compare: not both were answered.';
  if (one === other) return 'The answers are equal.';
  const found = {values: 0, differing: 0, most: 0};
  try {
    walk(JSON.parse(one), JSON.parse(other), found);
  } catch {
    return 'The answers differ.'; // NaN and Infinity are no JSON.
  }
  if (!found.differing) return `All ${found.values} values are equal.`;
  return `${found.differing} of ${found.values} values differ`
    + (found.most ? `; the largest difference of two numbers is ${found.most.toPrecision(3)}.` : '.');
}
