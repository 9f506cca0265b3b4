// What the router answered, as {status, body}; body empty where there is none, or no JSON.
// Status 0: no connection; -1: no answer in time.
async function ask(path, method) {
  try {
    const answer = await fetch(path, {method, cache: 'no-store', credentials: 'same-origin',
                                      signal: AbortSignal.timeout(15000)});
    return {status: answer.status, body: await answer.json().catch(() => null) || {}};
  } catch (error) {
    return {status: error.name === 'TimeoutError' ? -1 : 0, body: {}};
  }
}

function failureText(answer) {
  if (answer.status === 0) return 'no connection to the router';
  if (answer.status === -1) return 'no answer in 15 s; it may still be done';
  if (answer.status === 401) return 'the token is not accepted any more';
  return answer.body.error || 'the router answered ' + answer.status;
}

// A button that works is not disabled: it would lose the focus.
async function switchConnector(row) {
  if (row.switch.getAttribute('aria-busy') === 'true') return;
  const verb = row.stopped ? 'start' : 'stop';
  row.showSwitch(row.stopped ? 'Starting …' : 'Stopping …');
  const answer = await ask(`connectors/${encodeURIComponent(row.name)}/${verb}`, 'POST');
  if (answer.status === 200) {
    row.stopped = answer.body.stopped;
  } else {
    show('news', `Connector ${row.name}: ${failureText(answer)}.`);
  }
  row.showSwitch();
  askNow();
}

function showReload(answer) {
  const lines = (answer.status === 422 ? answer.body.mistakes
      : answer.status === 200 ? answer.body.warnings : null) || [];
  const text = answer.status === 200 ? `Configuration reloaded at ${clockText()}.`
      : answer.status === 422 ? 'The configuration has mistakes; the old one stays in force.'
      : `Not reloaded${answer.status === -1 ? ' yet' : ''}: ${failureText(answer)}.`;
  setText(byId('reloaded-text'), text);
  setItems(byId('mistakes'), lines);
  setClass(byId('reloaded'), answer.status === 200 ? 'banner good' : 'banner bad');
  setHidden(byId('reloaded'), false);
}

byId('reload').addEventListener('click', async () => {
  const button = byId('reload');
  if (button.getAttribute('aria-busy') === 'true') return;
  button.setAttribute('aria-busy', 'true');
  setText(button, 'Reloading …');
  showReload(await ask('reload', 'POST'));
  setText(button, 'Reload configuration');
  button.setAttribute('aria-busy', 'false');
  askNow();
});

function showLines(lines) {
  setItems(byId('lines'), lines);
  lines.forEach((line, i) =>
      setClass(byId('lines').children[i], line.startsWith('=>') ? 'end' : ''));
}

byId('explain').addEventListener('submit', async event => {
  event.preventDefault();
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(event.target)) fields.set(name, value.trim());
  const answer = await ask('explain?' + fields, 'GET');
  const fine = answer.status === 200;
  if (fine) showLines(answer.body.lines);
  setHidden(byId('lines'), !fine);
  show('explain-error', fine ? '' : 'Not explained: ' + failureText(answer) + '.');
  setHidden(byId('explain-error'), fine);
});
