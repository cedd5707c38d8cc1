import { followReply, loadMessages, postMessage, rateMessage, resumeReply, stopReply } from "./chat-client.js";
import { createComposer } from "./composer.js";
import { addReply, addSuggestions, addUserMessage } from "./message-view.js";
import { createVisit } from "./visit.js";

const { agentId, agentName } = document.body.dataset;
const suggestions = JSON.parse(document.body.dataset.suggestions);
const [lamp, restart, welcome, list, status] = ["lamp", "restart", "welcome", "messages", "status"].map((id) =>
  document.getElementById(id),
);
const visit = createVisit(agentId);
const composer = createComposer({ onSend: say, onStop: askToStop });

/** The reply that is coming in: `{ abort, isStopping, messageId, … }`, or null. */
let running = null;
/** The newest reply on the page. */
let latest = null;
/** Resolves when an earlier conversation is back on the page. */
let ready = Promise.resolve();

addSuggestions(document.getElementById("suggestions"), suggestions, (suggestion) => {
  composer.focus();
  say(suggestion);
});
if (visit.conversation) ready = restore();
else begin();

function begin() {
  list.replaceChildren();
  latest = null;
  list.hidden = true;
  restart.hidden = true;
  welcome.hidden = false;
  composer.focus();
}

/** Puts the conversation back after a reload, and goes on with a reply that still runs. */
async function restore() {
  openList();
  try {
    const messages = await loadMessages(visit.conversation);
    for (const message of messages) showStored(message);
    const last = messages.at(-1);
    if (last?.role === "assistant" && last.stopReason === null) followAgain();
    scrollToEnd();
  } catch (failure) {
    if (failure.isFinal) return forget();
    list.replaceChildren();
    failed(newReply(), `The conversation could not be loaded. ${failure.message}`, restore);
  }
}

function showStored(message) {
  if (message.role === "user") return addUserMessage(list, message.content);
  if (message.stopReason === null) return;
  const reply = newReply(message.id);
  message.toolCalls.forEach((call, index) => {
    reply.finishTool(`tool ${index}`, call.name, call.isError);
  });
  if (message.content) reply.say("text", message.content);
  if (message.stopReason === "error") failed(reply, "This reply failed.", regenerate);
  else reply.finish({ note: noteOn(message.stopReason), canRate: message.content !== "", rating: message.feedback });
}

async function say(content) {
  await ready;
  openList();
  const bubble = addUserMessage(list, content);
  const attempt = () => {
    bubble.markUnsent(false);
    const messages = [{ role: "user", content }];
    receive((signal) => post({ messages }, signal), { again: attempt, onUnsent: () => bubble.markUnsent(true) });
  };
  attempt();
}

function regenerate() {
  const messages = [{ role: "user", content: "again" }];
  receive((signal) => post({ messages, regenerate: true }, signal), { again: regenerate });
}

function followAgain() {
  receive((signal) => resumeReply(visit.conversation, "", signal), { again: followAgain });
}

function post(body, signal) {
  const conversationId = visit.conversation?.id;
  return postMessage(
    { agentId, sessionId: visit.sessionId, ...(conversationId ? { conversationId } : {}), ...body },
    signal,
  );
}

/** Shows a reply as it comes. `again` does the whole thing once more, `onUnsent` hears that it did not even begin. */
async function receive(open, { again, onUnsent = () => {} }) {
  const abort = new AbortController();
  const reply = newReply();
  const current = { abort, isStopping: false, messageId: null, failure: null, stopReason: null };
  reply.begin();
  setRunning(current);
  announce(`${agentName} is replying.`);
  scrollToEnd();
  const onEvent = (event) => {
    show(event, reply, current);
    keepEndInView();
  };
  try {
    await followReply(open, {
      onEvent,
      onBreak: () => reply.note("Connection lost. Reconnecting…"),
      signal: abort.signal,
    });
    if (abort.signal.aborted) return;
    if (current.failure) failed(reply, current.failure, regenerate);
    else finished(reply, current);
  } catch (failure) {
    if (abort.signal.aborted) return;
    if (!current.messageId) onUnsent();
    failed(reply, failure.message, current.messageId ? followAgain : again);
  }
  if (running === current) setRunning(null);
  keepEndInView();
}

function show(event, reply, current) {
  switch (event.type) {
    case "message_start":
      visit.remember({ id: event.conversationId, token: event.conversationToken });
      reply.begin();
      reply.messageId = event.messageId;
      current.messageId = event.messageId;
      if (current.isStopping) askToStop();
      break;
    case "content_block_delta":
      reply.say(event.index, event.delta.text);
      break;
    case "tool_use_start":
      reply.useTool(event.index, event.name);
      break;
    case "tool_result":
      reply.finishTool(event.index, event.name, event.isError);
      break;
    case "error":
      current.failure = event.error.message;
      break;
    case "message_stop":
      current.stopReason = event.stopReason;
  }
}

function finished(reply, { stopReason }) {
  const note = noteOn(stopReason);
  reply.finish({ note, canRate: reply.text() !== "" });
  announce(`${agentName}: ${reply.text()} ${note}`);
}

function failed(reply, message, again) {
  reply.fail(message, () => {
    reply.element.remove();
    composer.focus();
    again();
  });
  announce(message);
}

const noteOn = (stopReason) =>
  ({ aborted: "Stopped.", max_steps: "Ended here, after as many steps as one reply may take." })[stopReason] ?? "";

function newReply(messageId = null) {
  latest?.settle();
  latest = addReply(list, agentName, { onRate: (rating) => rate(reply.messageId, rating) });
  const reply = latest;
  reply.messageId = messageId;
  return reply;
}

async function rate(messageId, rating) {
  try {
    await rateMessage(visit.conversation, messageId, rating);
    return true;
  } catch {
    return false;
  }
}

/** Before the reply has begun there is nothing to stop yet; then it is stopped as soon as it begins. */
async function askToStop() {
  if (!running) return;
  running.isStopping = true;
  if (!running.messageId) return;
  try {
    await stopReply(visit.conversation);
  } catch (failure) {
    if (!running) return;
    composer.setBusy(true);
    latest.note(`Not stopped. ${failure.message}`);
  }
}

async function forget() {
  if (running) {
    const { conversation } = visit;
    running.abort.abort();
    setRunning(null);
    if (conversation) stopReply(conversation).catch(() => {});
  }
  visit.forget();
  announce("");
  begin();
}

function setRunning(next) {
  running = next;
  composer.setBusy(next !== null);
  lamp.classList.toggle("lit", next !== null);
}

function openList() {
  welcome.hidden = true;
  list.hidden = false;
  restart.hidden = false;
}

function announce(words) {
  status.textContent = words;
}

/** Only for who reads at the end: somebody who scrolled up is left there. */
function keepEndInView() {
  const page = document.documentElement;
  if (page.scrollHeight - page.clientHeight - page.scrollTop < 160) scrollToEnd();
}

function scrollToEnd() {
  document.documentElement.scrollTop = document.documentElement.scrollHeight;
}

restart.addEventListener("click", forget);
