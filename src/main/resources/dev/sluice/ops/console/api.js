// All addresses are below the folder of the root path, wherever a proxy has put that.
export const root = new URL('../', import.meta.url);

const KEY = 'sluice-token';
let token = sessionStorage.getItem(KEY) || '';

export const hasToken = () => token !== '';

export function setToken(value) {
  token = value.trim();
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Sends a request to this server, with the token if there is one. */
export function send(path, options = {}) {
  const headers = new Headers(options.headers);
  if (token) headers.set('authorization', 'Bearer ' + token);
  return fetch(new URL(path, root), {cache: 'no-store', credentials: 'same-origin', ...options, headers});
}

/** Reads JSON of this server; throws Refused with its own words. */
export async function get(path) {
  const answer = await send(path);
  const text = await answer.text();
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Refused(answer.status, text.slice(0, 500) || 'status ' + answer.status);
  }
  if (!answer.ok) throw new Refused(answer.status, json.error || 'status ' + answer.status);
  return json;
}
