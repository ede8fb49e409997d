import {get, hasToken, Refused, setToken} from './api.js';
import {openCharts, spanChoice, start} from './charts.js';
import {byId, mark, setText} from './dom.js';
import {duration} from './format.js';
import {closeModel, openModel, refreshModel, updateModel} from './model.js';
import {showModels} from './models.js';

const PERIOD = 2000;
let state;
let charts;

/** Draws what is new in the charts of the page that is shown. */
const refresh = () => byId('overview').hidden ? refreshModel() : charts.refresh();
const refreshSoon = () => refresh().catch(() => {}); // The next poll says what is wrong.

function show() {
  setText(byId('version'), state.version);
  mark(byId('ready'), state.ready ? 'ready' : 'not ready', state.ready ? 'good' : 'busy');
  byId('why').hidden = state.ready;
  setText(byId('why'), why(state));
  mark(byId('online'), state.online ? 'grps: online' : 'grps: offline', state.online ? 'good' : '');
  setText(byId('uptime'), 'up ' + duration(state.uptime_seconds));
  setText(byId('identity'), 'as ' + state.identity);
  showModels(state.models);
  updateModel(state);
}

const MOST_REASONS = 3;
const reason = ({model, version, reason: text}) => [model, version].filter(Boolean).join(' ') + ': ' + text;

/** Says what keeps the server from being ready. */
function why({ready, not_ready: reasons}) {
  if (ready) return '';
  if (!reasons.length) return 'Not ready: the server is about to start or to stop.';
  const more = reasons.length - MOST_REASONS;
  return 'Not ready: ' + reasons.slice(0, MOST_REASONS).map(reason).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function notice(text) {
  byId('notice').hidden = text === '';
  setText(byId('notice'), text);
}

const sentence = text => /[.!?]$/.test(text) ? text : text + '.';

/** Says what the server refuses, and what may help. */
function failed(failure) {
  mark(byId('ready'), failure instanceof Refused ? 'refused' : 'no answer', 'bad');
  if (failure instanceof Refused && (failure.status === 401 || failure.status === 403)) {
    notice(sentence(failure.message) + (hasToken() ? ' The token of this page is not enough.' : ' Give this page a token that may.'));
  } else {
    notice('The server does not answer as it should: ' + sentence(failure.message));
  }
}

let polls = 0;
let timer;

async function poll() {
  const mine = ++polls;
  clearTimeout(timer);
  try {
    const answer = await get('console.json');
    if (mine !== polls) return;
    state = answer;
    show();
    await refresh();
    notice('');
  } catch (failure) {
    if (mine === polls) failed(failure);
  }
  if (mine === polls) timer = setTimeout(poll, document.hidden ? 5 * PERIOD : PERIOD);
}

function route() {
  const match = /^#\/model\/(.+)$/.exec(location.hash);
  let name;
  try {
    name = match && decodeURIComponent(match[1]);
  } catch {
    name = undefined; // No address of this page.
  }
  byId('overview').hidden = Boolean(name);
  byId('model').hidden = !name;
  document.title = name ? name + ' – Sluice' : 'Sluice';
  if (name) {
    openModel(name, () => state);
  } else {
    closeModel();
    byId('server').append(spanChoice);
  }
  refreshSoon();
}

function askForToken() {
  const dialog = byId('token-dialog');
  byId('token').value = '';
  dialog.returnValue = 'cancel';
  dialog.showModal();
  byId('token').focus();
}

byId('token-open').addEventListener('click', askForToken);
byId('token-dialog').addEventListener('close', () => {
  const how = byId('token-dialog').returnValue;
  if (how === 'use') setToken(byId('token').value);
  if (how === 'forget') setToken('');
  byId('token').value = '';
  if (how !== 'cancel') {
    poll();
    route();
  }
});
byId('filter').addEventListener('input', () => state && showModels(state.models));
document.querySelector('.skip').addEventListener('click', event => {
  event.preventDefault(); // The address says which model is shown.
  byId('main').focus();
});
addEventListener('hashchange', () => {
  route();
  byId('main').focus();
});
document.addEventListener('visibilitychange', () => document.hidden || poll());

spanChoice.addEventListener('change', refreshSoon);
start();
charts = openCharts();
byId('server').after(charts.node);
route();
poll();
