// The queues, looked at every two seconds while the page is. The browser asks for user and password.

const PERIOD_MS = 2000;

const state = document.getElementById("state");
const login = document.getElementById("login");
const body = document.getElementById("queues");
const address = document.getElementById("address");

const EVERYWHERE = ["0.0.0.0", "[::]"];

/** Shows what the broker is called from here, where it listens on every address. */
function showAddress() {
  const listens = address.textContent.replace(/^amqp:\/\//, "").replace(/:\d+$/, "");
  if (EVERYWHERE.includes(listens)) {
    address.textContent = `amqp://${location.hostname}:${address.dataset.port}`;
  }
}

function cell(text, className = "") {
  const td = document.createElement("td");
  td.textContent = text;
  td.className = className;
  return td;
}

function count(number) {
  return cell(number.toLocaleString("en"), number ? "number" : "number none");
}

/** Returns `[letters, meaning]` of what is special about a queue, as RabbitMQ's page has them. */
function features(queue) {
  const found = [];
  if (queue.durable) found.push(["D", "durable"]);
  if (queue.auto_delete) found.push(["AD", "auto-delete"]);
  if (queue.exclusive) found.push(["Excl", "exclusive"]);
  const args = Object.keys(queue.arguments);
  if (args.length) found.push(["Args", JSON.stringify(queue.arguments)]);
  return found;
}

function row(queue) {
  const marks = cell("");
  for (const [letters, meaning] of features(queue)) {
    const abbr = document.createElement("abbr");
    abbr.textContent = letters;
    abbr.title = meaning;
    marks.append(abbr);
  }
  const tr = document.createElement("tr");
  tr.append(
    cell(queue.vhost),
    cell(queue.name, "name"),
    marks,
    count(queue.messages_ready),
    count(queue.messages_unacknowledged),
    count(queue.messages),
    count(queue.consumers),
  );
  return tr;
}

function say(text, bad = false) {
  state.textContent = text;
  state.className = bad ? "bad" : "";
}

function show(queues) {
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  queues.sort((a, b) => compare(a.vhost, b.vhost) || compare(a.name, b.name));
  body.replaceChildren(...queues.map(row));
  const messages = queues.reduce((sum, queue) => sum + queue.messages, 0);
  say(`${queues.length.toLocaleString("en")} with ${messages.toLocaleString("en")} messages`);
}

/** Looks once; returns whether to look again by itself. */
async function look() {
  let response;
  try {
    response = await fetch(`${location.origin}/api/queues`); // without user:password@ of our own URL
  } catch {
    say("the broker does not answer", true);
    return true;
  }
  login.hidden = response.status !== 401;
  if (response.ok) {
    show(await response.json());
    return true;
  }
  const { reason } = await response.json();
  say(response.status === 401 ? "log in to see them" : reason, response.status !== 401);
  return response.status >= 500;
}

async function keepLooking() {
  login.hidden = true;
  while (await look()) {
    do {
      await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
    } while (document.hidden);
  }
}

login.addEventListener("click", keepLooking);
showAddress();
keepLooking();
