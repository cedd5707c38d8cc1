/** The place to write: Enter or the button sends; while a reply comes in there is a button to stop it instead. */
export function createComposer({ onSend, onStop }) {
  const [form, text, send, stop] = ["composer", "text", "send", "stop"].map((id) => document.getElementById(id));
  const refresh = () => {
    send.disabled = text.value.trim() === "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const content = text.value.trim();
    // What is written meanwhile waits for the end of the reply.
    if (content === "" || send.hidden) return;
    text.value = "";
    refresh();
    text.focus();
    onSend(content);
  });
  text.addEventListener("input", refresh);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  stop.addEventListener("click", () => {
    if (stop.ariaDisabled === "true") return;
    // Not `disabled`, which would take the focus away.
    stop.ariaDisabled = "true";
    onStop();
  });
  // The browser may have kept what was written before a reload.
  refresh();

  return {
    /** Not on touch screens, where it would bring up the keyboard. */
    focus() {
      if (matchMedia("(hover: hover)").matches) text.focus();
    },
    setBusy(isBusy) {
      const hadFocus = document.activeElement === stop;
      send.hidden = isBusy;
      stop.hidden = !isBusy;
      stop.ariaDisabled = "false";
      if (hadFocus && !isBusy) text.focus();
    },
  };
}
