// What the server says is hostile input: it is only ever set as text, never as HTML.

export const byId = id => document.getElementById(id);

/** Makes an element: attributes whose value is undefined are left out; `on…` adds a listener. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'text') made.textContent = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Sets a text only if it is another one, so that nothing is read out twice. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function mark(node, text, how) {
  setText(node, text);
  const wanted = ('mark ' + how).trim();
  if (node.className !== wanted) node.className = wanted;
}

let ids = 0;

/** A control with its label and hint. */
export function field(label, control, hint) {
  control.id = control.id || 'field-' + ++ids;
  const parts = [el('label', {for: control.id, text: label}), control];
  if (hint !== undefined) {
    const note = el('small', {id: control.id + '-hint', text: hint});
    control.setAttribute('aria-describedby', note.id);
    parts.push(note);
  }
  return el('div', {class: 'field'}, ...parts);
}

export function select(options, chosen) {
  const made = el('select', {}, ...options.map(([value, text]) => el('option', {value, text})));
  if (chosen !== undefined) made.value = chosen;
  return made;
}
