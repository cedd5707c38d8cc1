/** The messages on the page. Everything from outside becomes a text node; nothing is ever read as HTML. */
export function addUserMessage(list, text) {
  const element = clone("user-message");
  element.querySelector(".bubble").textContent = text;
  list.append(element);
  return {
    markUnsent(isUnsent) {
      element.querySelector(".unsent").hidden = !isUnsent;
    },
  };
}

/** A reply, empty and live until `finish` or `fail`. `onRate(rating)` resolves when the rating is kept. */
export function addReply(list, agentName, { onRate }) {
  const element = clone("reply-message");
  const part = (selector) => element.querySelector(selector);
  const pieces = part(".pieces");
  const buttons = [...element.querySelectorAll("[data-rating]")];
  const byIndex = new Map();
  part(".speaker").textContent = `${agentName}: `;
  list.append(element);

  const note = (text) => {
    part(".note").textContent = text;
  };
  const press = (rating) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.rating === rating));
  };
  const quieten = () => {
    element.classList.remove("live");
    part(".lamp").classList.remove("lit");
  };
  for (const button of buttons) {
    button.addEventListener("click", async () => {
      const before = buttons.find((one) => one.getAttribute("aria-pressed") === "true")?.dataset.rating;
      press(button.dataset.rating);
      const isKept = await onRate(button.dataset.rating);
      if (!isKept) press(before);
      note(isKept ? "" : "Your rating could not be saved. Try again in a moment.");
    });
  }

  return {
    element,
    /** The text so far, as one string. */
    text: () => [...pieces.querySelectorAll(".text")].map((piece) => piece.textContent).join("\n\n"),
    /** Empty and live again. */
    begin() {
      pieces.replaceChildren();
      byIndex.clear();
      element.classList.add("live");
      part(".lamp").classList.add("lit");
      note("Replying…");
    },
    say(index, text) {
      const piece = byIndex.get(index) ?? addPiece(pieces, "text");
      byIndex.set(index, piece);
      if (piece.firstChild) piece.firstChild.appendData(text);
      else piece.textContent = text;
      note("");
    },
    useTool(index, name) {
      const line = addPiece(pieces, "tool");
      byIndex.set(index, line);
      line.textContent = `Using ${wordsOf(name)}…`;
      note("");
    },
    finishTool(index, name, isError) {
      const line = byIndex.get(index) ?? addPiece(pieces, "tool");
      line.textContent = isError ? `${wordsOf(name)} did not work` : `Used ${wordsOf(name)}`;
    },
    note,
    finish({ note: text, canRate, rating = null }) {
      quieten();
      note(text);
      press(rating);
      part(".rating").hidden = !canRate;
    },
    fail(message, onRetry) {
      quieten();
      note("");
      part(".failure p").textContent = message;
      part(".failure button").onclick = onRetry;
      part(".failure").hidden = false;
    },
    /** Takes the button away: the conversation has gone on. */
    settle() {
      part(".failure button").hidden = true;
    },
  };
}

/** Buttons for what a visitor may want to ask. */
export function addSuggestions(place, suggestions, onPick) {
  place.hidden = suggestions.length === 0;
  for (const suggestion of suggestions) {
    const button = document.createElement("button");
    button.className = "quiet";
    button.textContent = suggestion;
    button.addEventListener("click", () => onPick(suggestion));
    const item = document.createElement("li");
    item.append(button);
    place.append(item);
  }
}

const wordsOf = (name) => name.replaceAll("_", " ");

function addPiece(pieces, className) {
  const piece = document.createElement("p");
  piece.className = className;
  pieces.append(piece);
  return piece;
}

function clone(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}
